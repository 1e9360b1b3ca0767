"""What any Python program might use: files, messages, plain data, threads, processes. It knows no game."""
