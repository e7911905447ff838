"""Reads all pages of a list over one kept connection, and does nothing with them but look for the continue token.

plain_walk.py CA CERTIFICATE KEY PORT PATH CHUNK
"""
import http.client
import re
import ssl
import sys
import urllib.parse

ENDS = 4096  # metadata stand at the beginning or the end


def ends_of_answer(answer):
    first = last = answer.read(ENDS)
    while piece := answer.read(1 << 16):
        last = (last + piece)[-ENDS:]
    return first + last


def main():
    authority, certificate, key, port, path, chunk = sys.argv[1:]
    context = ssl.create_default_context(cafile=authority)
    context.load_cert_chain(certificate, key)
    connection = http.client.HTTPSConnection("127.0.0.1", int(port), context=context)
    token = b""
    while True:
        query = {"limit": chunk, **({"continue": token.decode()} if token else {})}
        connection.request("GET", f"{path}?{urllib.parse.urlencode(query)}", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        if answer.status != 200:
            return f"{path}: {answer.status}"
        found = re.search(rb'"continue":"([^"]+)"', ends_of_answer(answer))
        if not found:
            return 0
        token = found[1]


if __name__ == "__main__":
    sys.exit(main())
