"""The rooms of the sources: their order, which of them a file is in, and who includes whom."""
import re

# Each room knows itself and the rooms of earlier lines, none of its own line: kube before migrate before plugin.
ORDER = """
kube/base
kube/json
kube/go kube/yaml
kube/meta
kube/cel
kube/client kube/mutation kube/schema
kube/crd kube/serve
kube/admission kube/suggest

migrate/report
migrate/cluster
migrate/check
migrate/rewrite
migrate/migration
migrate/guard migrate/populate migrate/restore

plugin/terminal
plugin/report
plugin/cli
plugin/command
"""
ROOMS = {room: line for line, rooms in enumerate(ORDER.splitlines()) for room in rooms.split()}
TOPS = ("kube", "migrate", "plugin")
SOURCE_SUFFIXES = {".cc", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def room_of(path):
    """The room of a file or header by its path from the root; None if it is in none."""
    room = path.rpartition("/")[0]
    return room if room in ROOMS else None


def may_include(room, other):
    return room == other or ROOMS[other] < ROOMS[room]


def sources(root, folders=TOPS):
    for folder in folders:
        yield from (f for f in sorted((root / folder).rglob("*")) if f.suffix in SOURCE_SUFFIXES)


def includes(file):
    """Line number, whether in quotes, and header of each #include."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == '"', match[2]


def arrows(root):
    """{room: rooms that its files include}, by the real #include lines."""
    known = {room: set() for room in ROOMS}
    for file in sources(root):
        room = room_of(file.relative_to(root).as_posix())
        known[room].update(room_of(header) for _, quoted, header in includes(file) if quoted)
    return {room: others - {room, None} for room, others in known.items()}


def direct(known):
    """Without the arrows that longer ways stand for."""
    def reached(room, seen):
        for other in known[room] - seen:
            seen.add(other)
            reached(other, seen)
        return seen
    behind = {room: set().union(*(reached(o, set()) for o in others)) for room, others in known.items()}
    return {room: others - behind[room] for room, others in known.items()}


def picture(root):
    """A Mermaid graph: a box a room, an arrow where one includes another and no longer way leads there."""
    def node(room):
        return room.replace("/", "_")
    lines = ["graph BT"]
    for top in TOPS:
        lines.append(f"  subgraph {top}")
        rooms = [room for room in ROOMS if room.split("/")[0] == top]
        lines += [f"    {node(room)}_[{room.partition('/')[2] or 'main'}]" for room in rooms]
        lines.append("  end")
    for room, others in direct(arrows(root)).items():
        lines += [f"  {node(room)}_ --> {node(other)}_" for other in sorted(others)]
    return "\n".join(lines) + "\n"
