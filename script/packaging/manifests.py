#!/usr/bin/env python3
"""Checks manifests of Kubernetes: manifests.py FILE…

Each document must fit the schema of Kubernetes 1.30, and each pod the profile `restricted` of the Pod Security Standards.
"""

import sys

import kubernetes_validate
import yaml

VERSION = "1.30"
VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}


def violations(pod):
    """What the profile does not allow, one text each."""
    common = pod.get("securityContext", {})
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(field):
            yield f"{field} is set"
    for volume in pod.get("volumes", []):
        if not (set(volume) - {"name"}) <= VOLUMES:
            yield f"the volume {volume['name']} has a kind that is not allowed"
    for container in pod.get("initContainers", []) + pod["containers"]:
        own = container.get("securityContext", {})
        both = {**common, **own}
        name = container["name"]
        if both.get("runAsNonRoot") is not True or both.get("runAsUser") == 0:
            yield f"{name} may run as root"
        if own.get("allowPrivilegeEscalation") is not False:
            yield f"{name} may escalate its privileges"
        if own.get("privileged"):
            yield f"{name} is privileged"
        capabilities = own.get("capabilities", {})
        if "ALL" not in capabilities.get("drop", []) or set(capabilities.get("add", [])) - {"NET_BIND_SERVICE"}:
            yield f"{name} keeps capabilities"
        if both.get("seccompProfile", {}).get("type") not in ("RuntimeDefault", "Localhost"):
            yield f"{name} has no seccomp profile"
        if any(port.get("hostPort") for port in container.get("ports", [])):
            yield f"{name} has a port of the host"


def problems(document):
    try:
        kubernetes_validate.validate(document, VERSION, strict=True)
    except kubernetes_validate.ValidationError as error:
        yield error.message
    if document["kind"] in ("Deployment", "StatefulSet", "DaemonSet"):
        yield from violations(document["spec"]["template"]["spec"])


def main():
    failed = False
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for document in yaml.safe_load_all(file):
                for problem in problems(document):
                    print(f"{path}: {document['kind']} {document['metadata']['name']}: {problem}", file=sys.stderr)
                    failed = True
    sys.exit(failed)


main()
