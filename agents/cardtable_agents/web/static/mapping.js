// From clicks on the picture to actions. There is no page in here: parts are texts, actions plain objects.
//
// A part is the text of `data-part`: names separated by "|", each a block of actions and labels on its axes, "*" for any:
// "play:sun 1|lay:sun 1", "play:*:leaf", "draw_pile". An action has an id, a block and labels.

/** Whether a part stands for an action. */
export function matches(part, action) {
  return part.split("|").some((name) => isOne(name.split(":"), action));
}

function isOne([block, ...given], action) {
  return block === action.block && given.every((word, axis) => axis >= action.labels.length || word === "*" || word === action.labels[axis]);
}

/** The actions that all of these parts stand for. */
export function narrowed(actions, parts) {
  return actions.filter((action) => parts.every((part) => matches(part, action)));
}

/**
 * What a click leads to: `parts` clicked so far, the actions that are `left`, and the one to `play` if no other is.
 * A second click on a part takes it out again; a part that goes with none of what is left begins anew.
 */
export function clicked(actions, parts, part) {
  if (parts.includes(part)) return choice(actions, parts.filter((each) => each !== part), false);
  const more = [...parts, part];
  if (narrowed(actions, more).length) return choice(actions, more, true);
  return narrowed(actions, [part]).length ? choice(actions, [part], true) : choice(actions, [], false);
}

function choice(actions, parts, mayPlay) {
  const left = narrowed(actions, parts);
  return { parts, left, play: mayPlay && left.length === 1 ? left[0] : null };
}

/** Of parts that lie in one another, the innermost first: the one that a click means, or null. */
export function meant(actions, parts, nested) {
  const left = narrowed(actions, parts);
  const among = (candidates) => nested.find((part) => candidates.some((action) => matches(part, action)));
  return among(left) ?? among(actions) ?? null;
}
