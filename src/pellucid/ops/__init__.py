"""Operations: each defined once, in the file of its family; `op` says what a definition is."""
