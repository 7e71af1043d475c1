class RandomRun:
    pass
