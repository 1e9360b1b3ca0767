"""Random bits for agents: a keyed hash of a game's number and length, by a secret that no agent knows.

A plain mixing function is not enough: an agent could invert it, and find the deal by trying small numbers.
SipHash (Aumasson and Bernstein) is made for this: without its 128-bit key, its results reveal nothing about its input.
"""

import hashlib
import re
import secrets

import numpy as np

from cardtable.engine.jit import kernel, wrapping_kernel
from cardtable.errors import AgentError
from cardtable.support.messages import shown
from cardtable.types import Bits, Header, Records

SALT_DIGITS = 32
"""Hexadecimal digits of a salt: too many to try them all."""
BEGIN = (
    np.uint64(0x736F6D6570736575),
    np.uint64(0x646F72616E646F6D),
    np.uint64(0x6C7967656E657261),
    np.uint64(0x7465646279746573),
)
"""What SipHash adds to its key, as its authors have it."""
LENGTH_BLOCK = np.uint64(16 << 56)
"""The last block of a message of 16 bytes: its length, in the highest byte."""
LAST = np.uint64(0xFF)
BITS = np.uint64(64)


# ---- Salts


def new_salt() -> str:
    """What the random bits of a match come from, drawn by the system: 32 hexadecimal digits."""
    return secrets.token_hex(SALT_DIGITS // 2)


def checked_salt(salt: str) -> str:
    """The salt, if it is one."""
    if not re.fullmatch(f"[0-9a-f]{{{SALT_DIGITS}}}", salt):
        raise AgentError(f"salt {shown(salt)}: allowed: {SALT_DIGITS} hexadecimal digits, as in the header of a results file")
    return salt


def open_salt(name: str) -> str:
    """A salt that anybody can find out, for agents that are trusted: the same for the same name."""
    return hashlib.sha256(name.encode()).hexdigest()[:SALT_DIGITS]


def secret_of(salt: str) -> Bits:
    """uint64 (2,): the key of the hash that makes the random bits."""
    return np.frombuffer(hashlib.sha256(f"cardtable keys {salt}".encode()).digest()[:16], "<u8").astype(np.uint64)


# ---- Kernels


@wrapping_kernel
def rotated(bits: np.uint64, by: int) -> np.uint64:
    """64 bits, turned to the left."""
    return (bits << np.uint64(by)) | (bits >> (BITS - np.uint64(by)))


@wrapping_kernel
def sip_round(a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """One round of SipHash."""
    a = a + b
    b = rotated(b, 13) ^ a
    a = rotated(a, 32)
    c = c + d
    d = rotated(d, 16) ^ c
    a = a + d
    d = rotated(d, 21) ^ a
    c = c + b
    b = rotated(b, 17) ^ c
    c = rotated(c, 32)
    return a, b, c, d


@wrapping_kernel
def keyed_hash(first_key: np.uint64, second_key: np.uint64, number: np.uint64, length: np.uint64) -> np.uint64:
    """SipHash-2-4 of two numbers of 64 bits."""
    a, b, c, d = BEGIN[0] ^ first_key, BEGIN[1] ^ second_key, BEGIN[2] ^ first_key, BEGIN[3] ^ second_key
    for block in (number, length, LENGTH_BLOCK):
        d ^= block
        a, b, c, d = sip_round(a, b, c, d)
        a, b, c, d = sip_round(a, b, c, d)
        a ^= block
    c ^= LAST
    for _ in range(4):
        a, b, c, d = sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


@kernel
def write_keys(games: Records, secret: Bits, keys: Bits) -> None:
    """Random bits for the next decision of each game, by a secret, the game's number and its length."""
    for lane in range(games.shape[0]):
        game: Header = games[lane]
        keys[lane] = keyed_hash(secret[0], secret[1], game.index, np.uint64(game.length))
