"""JSON Web Tokens of users, for servers in token mode."""

import base64
import hashlib
import hmac
import json
import time


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(secret, subject, head=None, **claims):
    """A token that is valid for an hour. `head` replaces its header, whatever the server makes of that."""
    claims = {"sub": subject, "exp": int(time.time()) + 3600} | claims
    head = head or {"alg": "HS256", "typ": "JWT"}
    text = ".".join(encoded(json.dumps(part).encode()) for part in (head, claims))
    return text + "." + encoded(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest())


def as_user(secret, subject, roles=(), **claims):
    """The header fields of a user's request."""
    if roles:
        claims["storehouse"] = {"roles": roles} | claims.get("storehouse", {})
    return {"Authorization": "Bearer " + token(secret, subject, **claims)}
