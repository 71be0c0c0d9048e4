"""Canonical forms of the options of well-known commands.

The order of options, short and long names, and where a value stands have no meaning. A command that
has an option outside of its row keeps its words, since nothing is known of that option.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from otap._patterns import regex

# A command, and its subcommand if it has any: the names of each option, the last one of which is
# its canonical name. A colon marks an option with a value; ~ marks one without an effect on the
# work, such as a question that nobody can answer. Options behind an argument of a command with "!"
# belong to the program that it runs.
_TABLE = """
rm: r=R=recursive f=force v=verbose d=dir
mkdir: p=parents v=verbose m=mode:
cp: r=R=recursive a=archive p v=verbose f=force
mv: f=force v=verbose
touch: a m c=no-create
chmod: R=recursive v=verbose
chown: R=recursive v=verbose
ln: s=symbolic f=force v=verbose
ls: l a=all A=almost-all h=human-readable R=recursive r=reverse d=directory t 1
cat: n=number A=show-all
head: n=lines: c=bytes: q=quiet
tail: n=lines: c=bytes: f=follow q=quiet
sort: r=reverse n=numeric-sort u=unique f=ignore-case h=human-numeric-sort k=key: t=field-separator: o=output:
uniq: c=count d=repeated u=unique i=ignore-case
wc: l=lines w=words c=bytes m=chars
cut: d=delimiter: f=fields: c=characters:
du: s=summarize h=human-readable a=all c=total
df: h=human-readable
ps: e f a u x
diff: u N=new-file r=recursive q=brief w=ignore-all-space
grep: r=recursive n=line-number i=ignore-case v=invert-match l=files-with-matches c=count w=word-regexp E=extended-regexp F=fixed-strings o=only-matching q=silent=quiet s=no-messages e=regexp: A=after-context: B=before-context: C=context: m=max-count: include: exclude: exclude-dir:
tar: x=get=extract c=create t=list z=gunzip=gzip j=bzip2 J=xz v=verbose f=file:
gzip: d=decompress k=keep f=force
unzip: o q d:
curl: s=silent S=show-error f=fail L=location k=insecure I=head i=include v=verbose X=request: H=header: d=data: o=output: O=remote-name u=user: A=user-agent:
wget: q=quiet O=output-document: P=directory-prefix:
rsync: a=archive v=verbose z=compress r=recursive n=dry-run P delete exclude: e=rsh:
scp: r C q P: i:
pip install: r=requirement: U=upgrade q=quiet e=editable: user no-cache-dir
npm install: g=global D=save-dev E=save-exact O=save-optional S=P=save=save-prod no-save legacy-peer-deps
npm uninstall: g=global D=save-dev
npm run: s=silent
yarn add: D=dev E=exact
yarn remove: D=dev
pnpm add: D=save-dev E=save-exact g=global
ssh!: i: p: l: v q T t
sed!: i=in-place n=quiet=silent E=r=regexp-extended e=expression:
kill: s=signal:
terraform: auto-approve var: var-file: out: target: replace: state: lock lock-timeout: refresh refresh-only parallelism: destroy json upgrade reconfigure migrate-state backend backend-config: detailed-exitcode check recursive diff write list input~ no-color~ compact-warnings~ dry-run chdir:
systemctl: q=quiet now f=force user no-pager~ n=lines: o=output: l=full~ t=type: a=all state: no-legend~
journalctl: u=unit: n=lines: f=follow r=reverse S=since: U=until: p=priority: no-pager~ o=output: b=boot k=dmesg user
make: j=jobs: B=always-make s=silent C=directory: f=file: k=keep-going
zip: r=recurse-paths q=quiet
cargo build: r=release v=verbose q=quiet p=package:
cargo test: r=release v=verbose q=quiet p=package:
go build: o: v
git stash: u=include-untracked m=message: q=quiet
git rebase: i=interactive continue abort onto:
git show: p=patch stat
git revert: n=no-commit no-edit
git restore: S=staged s=source: W=worktree
docker compose: f=file: p=project-name: d=detach build
pytest: v=verbose q=quiet x=exitfirst s k: m: n=numprocesses:
apt-get: y=assume-yes=yes q=quiet
apt: y=assume-yes=yes q=quiet
psql: c=command: d=dbname: h=host: U=username: p=port: f=file: q=quiet
git add: A=all u=update f=force v=verbose n=dry-run
git commit: m=message: a=all q=quiet s=signoff n=no-verify amend no-edit allow-empty author: date:
git push: u=set-upstream f=force q=quiet d=delete n=dry-run tags all force-with-lease
git pull: r=rebase q=quiet ff-only
git fetch: a=append p=prune q=quiet t=tags all
git clone: b=branch: q=quiet depth: recurse-submodules
git checkout: b: B: q=quiet f=force
git switch: c=create: C=force-create: q=quiet
git branch: a=all r=remotes v=verbose D d=delete m=move M
git merge: m=message: q=quiet no-ff ff-only squash abort
git tag: a=annotate m=message: d=delete f=force
git log: n=max-count: p=patch oneline stat graph all
git diff: cached=staged stat name-only
git status: s=short b=branch
git reset: q=quiet hard soft mixed
git rm: r f=force cached q=quiet
kubectl: n=namespace: f=filename: k=kustomize: o=output: l=selector: dry-run: force grace-period: tail: previous=p A=all-namespaces w=watch c=container: R=recursive context: replicas: image: timeout: request-timeout: since: to-revision: revision: type: port: name: cluster: kubeconfig: overwrite all show-labels record ignore-not-found field-selector: sort-by: cascade: patch:
helm: n=namespace: f=values: i=install set: wait atomic create-namespace version: timeout: reuse-values set-string: kube-context: force dry-run
docker run!: d=detach i=interactive t=tty rm e=env: p=publish: v=volume: name: w=workdir: network: u=user:
docker exec!: d=detach i=interactive t=tty e=env: w=workdir: u=user:
docker build: t=tag: f=file: q=quiet no-cache pull build-arg:
docker ps: a=all q=quiet
docker rm: f=force v=volumes
docker rmi: f=force
"""  # noqa: E501
# Other names of commands, and of kubectl's resources.
_SYNONYMS = """
npm install = npm i = npm add = npm in
npm uninstall = npm un = npm rm = npm r = npm remove
npm test = npm t = npm tst = npm run test
npm run = npm run-script
npm ci = npm clean-install
yarn add = yarn install
pip install = pip3 install = python -m pip install = python3 -m pip install
pip uninstall = pip3 uninstall = python -m pip uninstall = python3 -m pip uninstall
pytest = python -m pytest = python3 -m pytest = py.test
docker run = docker container run
docker ps = docker container ls = docker container ps = docker container list
docker rm = docker container rm
docker exec = docker container exec
docker build = docker image build = docker buildx build
docker rmi = docker image rm
docker images = docker image ls
docker compose = docker-compose
docker pull = docker image pull
docker push = docker image push
git add = git stage
grep -E = egrep
grep -F = fgrep
cargo build = cargo b
cargo test = cargo t
helm uninstall = helm delete
"""
_RESOURCES = """
pod pods po
service services svc
deployment deployments deploy deployment.apps
configmap configmaps cm
namespace namespaces ns
node nodes no
replicaset replicasets rs
statefulset statefulsets sts
daemonset daemonsets ds
ingress ingresses ing
persistentvolumeclaim persistentvolumeclaims pvc
persistentvolume persistentvolumes pv
serviceaccount serviceaccounts sa
cronjob cronjobs cj
job jobs
secret secrets
horizontalpodautoscaler hpa
"""
# Their arguments are files, so that ./a is a.
_FILE_COMMANDS = frozenset(
    ["rm", "mkdir", "cp", "mv", "touch", "chmod", "chown", "cat", "head", "tail", "wc", "ls", "du"]
)
_UNIT_COMMANDS = frozenset(("systemctl", "journalctl"))  # a unit without a suffix is a service
_BARE_LETTERS = regex(r"[xctzjJvf]{2,6}\Z")
_LINES = regex(r"-\d{1,6}\Z")
_PREFIXES = frozenset(("sudo", "time", "nohup"))
_LONG_OPTION = regex(r"-[a-z][a-z-]+(?:=|\Z)")  # as programs in Go write them: -auto-approve
_WITH_LONG_OPTIONS = frozenset(("terraform",))
# Options whose value is a length of time, in the notation of Go.
_LENGTHS_OF_TIME = frozenset(("--timeout", "--request-timeout", "--lock-timeout", "--since"))
_LENGTH_OF_TIME = regex(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?\Z")
# Verbs of kubectl with a second word, and those whose first argument is a pod or KIND/NAME.
_PAIRS = frozenset(("set", "rollout", "top"))
_ON_PODS = frozenset(("logs", "exec", "attach", "port-forward", "debug"))


class _Option(NamedTuple):
    """An option of a command: its canonical name, and whether a value follows.

    It may have no effect on the work.
    """

    name: str
    has_value: bool
    has_effect: bool


class _Row(NamedTuple):
    """The options of a command by name, and whether they end at its first argument."""

    options: Mapping[str, _Option]
    ends_at_argument: bool


@cache
def _rows() -> Mapping[str, _Row]:
    rows = {}
    for line in _TABLE.strip().splitlines():
        command, _, listed = line.partition(": ")
        options = {}
        for entry in listed.split():
            names = entry.rstrip(":~").split("=")
            option = _Option(_dashed(names[-1]), entry.endswith(":"), not entry.endswith("~"))
            options.update({_dashed(name): option for name in names})
        rows[command.removesuffix("!")] = _Row(options, command.endswith("!"))
    return rows


@cache
def _synonyms() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    groups = [line.split(" = ") for line in _SYNONYMS.strip().splitlines()]
    return {tuple(name.split()): tuple(names[0].split()) for names in groups for name in names[1:]}


@cache
def _resources() -> Mapping[str, str]:
    rows = [line.split() for line in _RESOURCES.strip().splitlines()]
    return {name: first for first, *names in rows for name in names}


def _without_synonyms(words: list[str]) -> list[str]:
    """Returns the words of a command under its common name."""
    for length in (4, 3, 2, 1):
        name = _synonyms().get(tuple(words[:length]))
        if name and len(words) >= length:
            words = [*name, *words[length:]]
            break
    if words[:1] == ["tar"] and len(words) > 1 and _BARE_LETTERS.match(words[1]):
        words[1] = f"-{words[1]}"
    if words[:1] in (["head"], ["tail"]):
        words = [f"-n{word[1:]}" if _LINES.match(word) else word for word in words]
    return words


def _tidy_resources(arguments: list[str]) -> list[str]:
    """Returns the arguments of kubectl with deployment web for deploy/web."""
    start = 2 if arguments[:1] and arguments[0] in _PAIRS else 1
    if len(arguments) <= start:
        return arguments
    verbs, resource, rest = arguments[:start], arguments[start], arguments[start + 1 :]
    kind, slash, name = resource.partition("/")
    if kind not in _resources() and kind not in _resources().values():
        return arguments
    if slash and (not name or any(_names_resource(word) for word in rest)):
        return arguments  # several resources
    kind = _resources().get(kind, kind)
    if verbs[0] in _ON_PODS:
        is_pod = not slash or kind == "pod"
        return [*verbs, (name or resource) if is_pod else f"{kind}/{name}", *rest]
    return [*verbs, kind, *([name] if slash else []), *rest]


def _names_resource(word: str) -> bool:
    """Whether an argument is another KIND/NAME; the image of a container has a slash, too."""
    return "/" in word.partition("=")[0]


def _dashed(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"--{name}"


def sort_options(words: Sequence[str]) -> list[str] | None:
    """Returns the words of one command with canonical options, or None if one is not known.

    Args:
        words: the name of the command and its arguments, each in canonical form.
    """
    start = 0
    while start < len(words) and (words[start] in _PREFIXES or _is_assignment(words[start])):
        start += 1
    rows = _rows()
    words = [*words[:start], *_without_synonyms(list(words[start:]))]
    command = list(words[start : start + 2])
    row = rows.get(" ".join(command))
    if row is None:
        command = command[:1]
        row = rows.get("".join(command))
    if row is None:
        return None
    first = start + len(command)
    arguments = words[first:]
    if command[0] in _WITH_LONG_OPTIONS:
        arguments = [f"-{word}" if _LONG_OPTION.match(word) else word for word in arguments]
    parsed = _parse(
        arguments,
        row,
        is_kubectl=command == ["kubectl"],
        is_plain_file=command[0] in _FILE_COMMANDS,
    )
    if parsed is None:
        return None
    if command[0] in _UNIT_COMMANDS:
        parsed = [word.removesuffix(".service") for word in parsed]
    return [*words[:first], *parsed]


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _parse(
    words: Sequence[str], row: _Row, *, is_kubectl: bool, is_plain_file: bool
) -> list[str] | None:
    """Returns the options in the order of their names, then the other words; None if unknown."""
    options: list[tuple[str, str]] = []
    arguments: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        is_end = word == "--" or word.startswith("#")  # a comment is no option
        if is_end or (row.ends_at_argument and not word.startswith("-")):
            arguments += [word, *rest]
            break
        if not word.startswith("-") or word == "-":
            arguments.append(word)
            continue
        if not _take_option(word, rest, row, options):
            return None
    if is_kubectl:
        arguments = _tidy_resources(arguments)
    if is_plain_file:
        arguments = [word.removeprefix("./") or word for word in arguments]
    # Equal options keep their order: -e A -e B.
    options.sort(key=lambda option: option[0])
    return [f"{name}={value}" if value else name for name, value in options] + arguments


def _tidy_length_of_time(written: str) -> str:
    """Returns 2m as 120s; other texts unchanged."""
    length = _LENGTH_OF_TIME.match(written)
    if not written or not length:
        return written
    hours, minutes, seconds = (int(part or 0) for part in length.groups())
    return f"{3600 * hours + 60 * minutes + seconds}s"


def _take_option(word: str, rest: list[str], row: _Row, options: list[tuple[str, str]]) -> bool:
    """Adds the options of a word, whose value may be the next one; False if one is not known."""
    if word.startswith("--"):
        return _take_long_option(word, rest, row, options)
    letters = word[1:]
    while letters:
        option = row.options.get(f"-{letters[0]}")
        if option is None:
            return False
        letters = letters[1:]
        if option.has_value:
            value = letters or (rest.pop(0) if rest else "")
            options.append((option.name, value))
            return bool(value)
        if option.has_effect:
            options.append((option.name, ""))
    return True


def _take_long_option(
    word: str, rest: list[str], row: _Row, options: list[tuple[str, str]]
) -> bool:
    name, equals, value = word.partition("=")
    option = row.options.get(name)
    if option is None or (equals and not option.has_value and value not in ("true", "false")):
        return False
    if option.has_value:
        written = value if equals else rest.pop(0) if rest else ""
        is_length = option.name in _LENGTHS_OF_TIME
        options.append((option.name, _tidy_length_of_time(written) if is_length else written))
        return bool(written)
    if option.has_effect:
        options.append((option.name, value if value == "false" else ""))
    return True
