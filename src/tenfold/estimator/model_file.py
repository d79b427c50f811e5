def save(model, path, *, summary=True):
    raise NotImplementedError
