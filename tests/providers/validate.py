#!/usr/bin/env python3
"""Holds threads against the request types of the official packages `openai` and `anthropic`.

    validate.py PROGRAM

The program makes the samples: the demo at every cycle, an agent whose results expire, agents that keep
all sorts of things, and the imported fixtures, for both APIs. Threads that are made wrong on purpose must
be refused. The types are checked in full: their lists are validated only when somebody walks through them,
so that is done here; what types cannot say (calls and results that belong together, who speaks first) is
checked beside them.
"""

import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from typing import Iterable, Union

from anthropic.types import ContentBlockParam, MessageParam, TextBlockParam
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter, ValidationError

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPENAI = TypeAdapter(Iterable[ChatCompletionMessageParam])
MESSAGES = TypeAdapter(Iterable[MessageParam])
# The type of messages lets the models of responses pass too, with any field; blocks of requests do not.
BLOCKS = TypeAdapter(Union[str, Iterable[ContentBlockParam]])
SYSTEM = TypeAdapter(Union[str, Iterable[TextBlockParam]])


class Refused(Exception):
    """A thread that an API would refuse."""


def walk(value):
    """Walks through everything, so that lazy lists are validated too."""
    if isinstance(value, dict):
        return {name: walk(inner) for name, inner in value.items()}
    if isinstance(value, (str, bytes, int, float, bool)) or value is None:
        return value
    if hasattr(value, "model_dump"):
        return value.model_dump(exclude_unset=True)
    return [walk(inner) for inner in value]


def typed(adapter, value):
    try:
        return walk(adapter.validate_python(value))
    except ValidationError as error:
        raise Refused(str(error)) from error


def demand(holds, rule):
    if not holds:
        raise Refused(rule)


def check_openai(thread):
    demand(typed(OPENAI, thread) == thread, "a field that the types do not have")
    open_calls = set()
    for message in thread:
        if message["role"] == "tool":
            demand(message["tool_call_id"] in open_calls, "a result that answers no call")
            open_calls.remove(message["tool_call_id"])
            continue
        demand(not open_calls, "a call that is not answered at once")
        if message.get("content") is not None:
            demand(len(message["content"]) > 0, "an empty content")
        for call in message.get("tool_calls", []):
            demand(call["id"] not in open_calls, "a call that is there twice")
            open_calls.add(call["id"])
            if call["type"] == "function":
                demand(isinstance(json.loads(call["function"]["arguments"]), dict), "arguments")
    demand(not open_calls, "a call without a result")


def blocks(message):
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def check_anthropic(thread):
    demand(set(thread) <= {"system", "messages"}, "a field beside system and messages")
    typed(MESSAGES, thread["messages"])
    for message in thread["messages"]:
        demand(set(message) == {"role", "content"}, "a field beside role and content")
        demand(typed(BLOCKS, message["content"]) == message["content"], "an unknown field")
    if "system" in thread:
        demand(typed(SYSTEM, thread["system"]) == thread["system"], "an unknown field")
    open_calls = set()
    for at, message in enumerate(thread["messages"]):
        role = "assistant" if at % 2 else "user"
        demand(message["role"] == role, "roles that do not alternate, or an assistant first")
        said = blocks(message)
        demand(len(said) > 0, "an empty content")
        answered, begun = set(), False
        for block in said:
            if block["type"] == "tool_result":
                demand(not begun, "a result after something else")
                answered.add(block["tool_use_id"])
            else:
                begun = True
            if block["type"] == "text":
                demand(block["text"].strip() != "", "an empty text")
        demand(answered == open_calls, "calls and results that do not belong together")
        open_calls = {block["id"] for block in said if block["type"] == "tool_use"}
    demand(not open_calls, "a call without a result")


CHECKS = {"openai": check_openai, "anthropic": check_anthropic}


class Samples:
    """Threads that the program makes in a folder of its own."""

    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = tempfile.TemporaryDirectory()

    def run(self, *args, input=None):
        command = [self.program, *args]
        done = subprocess.run(command, cwd=self.folder.name, input=input, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed: {done.stderr}")
        return done.stdout

    def pipe(self, store, requests, may_fail=False):
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        replies = [json.loads(line) for line in self.run("-s", store, "pipe", input=lines).splitlines()]
        for request, reply in zip(requests, replies):
            if "ok" not in reply and not may_fail:
                raise SystemExit(f"{request} was answered {reply}")
        return [reply.get("ok") for reply in replies]

    def threads(self, store):
        """The threads of every cycle and of the working state."""
        exports = self.run("-s", store, "export", "--all").splitlines()
        states = [f"@c{json.loads(export)['cycle']}" for export in exports] + [None]
        wanted = [(at, form) for at in states for form in CHECKS]
        requests = [{"op": "thread", "at": at, "format": form} for at, form in wanted]
        for (at, form), thread in zip(wanted, self.pipe(store, requests)):
            yield f"{store} {at or 'working'} {form}", form, thread

    def all(self):
        self.run("demo", "demo.pactdb")
        yield from self.threads("demo.pactdb")
        self.run("-s", "agent.pactdb", "init")
        self.pipe("agent.pactdb", agent(50))
        yield from self.threads("agent.pactdb")
        for seed in range(20):
            store = f"careless-{seed}.pactdb"
            self.run("-s", store, "init")
            self.pipe(store, careless(random.Random(seed)), may_fail=True)
            yield from self.threads(store)
        for path in sorted((ROOT / "fixtures" / "import").glob("*/*.json*")):
            if path.suffix in (".json", ".jsonl"):
                store = f"{path.parent.name}-{path.stem}.pactdb"
                self.run("-s", store, "import", str(path))
                yield from self.threads(store)


def agent(turns):
    """An agent that looks something up in each turn and keeps the result for two cycles."""
    requests = [{"op": "add", "to": "^sys", "role": "system", "content": "Be brief."}]
    for turn in range(turns):
        attrs = {"data_call_id": f"call_{turn}", "data_tool_name": "look"}
        requests += [
            {"op": "add", "role": "user", "content": f"Question {turn}?"},
            {"op": "add", "kind": "call", "role": "assistant", "content": {"n": turn}, "attrs": attrs},
            {"op": "add", "kind": "result", "role": "tool", "content": "seen", "ttl": 2, "attrs": attrs},
            {"op": "add", "role": "assistant", "content": f"Answer {turn}."},
            {"op": "commit"},
        ]
    return requests


def careless(choice):
    """An agent that is careless with what it keeps: ids, names, roles, parts and fields of all sorts."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    found = {"type": "web_search_result", "title": "t", "url": "u", "encrypted_content": "e"}
    contents = [
        None, "text", "text", "text ", "", " ", 5, {"x": 1}, [], [1], "not json", '{"a": 1}', image, [image],
        [{"type": "text", "text": "part"}, {"type": "text", "text": ""}],
        [{"type": "text", "text": "kept", "cache_control": {"type": "ephemeral"}, "colour": "red"}],
        [{"type": "hologram"}, {"type": 5}, {"type": "refusal", "refusal": "no"}],
        [{"type": "image_url", "image_url": {"url": "https://example.org/b.png"}}],
        [{"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}],
        [{"type": "file", "file": {"file_id": "f"}}],
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "doc"}},
        {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "in"}]}},
        {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "f"}]},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [found]},
        [{"type": "tool_reference", "tool_name": "look"}],
        {"type": "container_upload", "file_id": "f"},
    ]
    citation = {"type": "char_location", "cited_text": "c", "document_index": 0, "document_title": None,
                "start_char_index": 0, "end_char_index": 1}
    attributes = {
        "data_call_id": ["k1", "k2", "k3", "k 3", "", 7, "k" * 90],
        "data_tool_name": ["look", "look up!", "", "l" * 200],
        "data_name": ["ann", "an n<>"],
        "data_block": ["anthropic", "openai-responses"],
        "data_signature": ["c2ln", ""],
        "data_message": [1, 2],
        "data_extra": [{"cache_control": {"type": "ephemeral"}}, {"cache_control": 5}, {"refusal": "no"},
                       {"audio": {"id": "a"}, "role": "x"}, {"citations": [citation]}, {"citations": 1}],
        "data_is_error": [True, "yes"],
        "data_tool_type": ["custom"],
    }
    requests = []
    for _ in range(60):
        if choice.random() < 0.2:
            requests.append({"op": "commit"})
            continue
        attrs = {name: choice.choice(values) for name, values in attributes.items() if choice.random() < 0.35}
        add = {"op": "add", "attrs": attrs, "content": choice.choice(contents)}
        add["role"] = choice.choice(["user", "user", "assistant", "assistant", "system", "tool", "function", "narrator"])
        add["kind"] = choice.choice([None, None, "call", "result", "reasoning", "image", "summary"])
        add["ttl"] = choice.choice([None, None, 0, 1, 2])
        add["to"] = choice.choice(["^ah", "^ah", "^ah", "^sys"])
        requests.append({name: value for name, value in add.items() if value is not None})
    return requests


def wrong():
    """Threads that must be refused, each wrong in one way."""
    call = {"id": "k", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    right = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "k", "content": "seen"},
        {"role": "assistant", "content": "Done."},
    ]
    check_openai(right)
    changes = {
        "an unknown role": lambda t: t[0].update(role="narrator"),
        "no content": lambda t: t[0].pop("content"),
        "a content of another type": lambda t: t[0].update(content=5),
        "a part of an unknown type": lambda t: t[0].update(content=[{"type": "hologram"}]),
        "a part without its field": lambda t: t[0].update(content=[{"type": "text"}]),
        "a call without a name": lambda t: t[1]["tool_calls"][0]["function"].pop("name"),
        "arguments that are no text": lambda t: t[1]["tool_calls"][0]["function"].update(arguments={}),
        "a result without an id": lambda t: t[2].pop("tool_call_id"),
        "a call without a result": lambda t: t.pop(2),
        "a result without a call": lambda t: t.pop(1),
        "a result of another call": lambda t: t[2].update(tool_call_id="other"),
        "an unknown field": lambda t: t[1]["tool_calls"][0].update(colour="red"),
        "an empty list of parts": lambda t: t[0].update(content=[]),
    }
    for name, change in changes.items():
        thread = copy.deepcopy(right)
        change(thread)
        yield f"openai with {name}", "openai", thread
    use = {"type": "tool_use", "id": "k", "name": "look", "input": {}}
    right = {
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k", "content": "seen"}]},
            {"role": "assistant", "content": "Done."},
        ],
    }
    check_anthropic(right)
    messages = lambda t: t["messages"]
    changes = {
        "an unknown role": lambda t: messages(t)[0].update(role="narrator"),
        "no content": lambda t: messages(t)[0].pop("content"),
        "a content of another type": lambda t: messages(t)[0].update(content=5),
        "a block of an unknown type": lambda t: messages(t)[0].update(content=[{"type": "hologram"}]),
        "a text without a text": lambda t: messages(t)[0].update(content=[{"type": "text"}]),
        "an empty text": lambda t: messages(t)[0].update(content=" "),
        "an input that is no object": lambda t: messages(t)[1]["content"][0].update(input="{}"),
        "a result without an id": lambda t: messages(t)[2]["content"][0].pop("tool_use_id"),
        "a result of another call": lambda t: messages(t)[2]["content"][0].update(tool_use_id="other"),
        "a call without a result": lambda t: messages(t).pop(2),
        "an assistant first": lambda t: messages(t).pop(0),
        "two users": lambda t: messages(t).insert(0, {"role": "user", "content": "Hello."}),
        "an unknown field": lambda t: messages(t)[2]["content"][0].update(colour="red"),
        "instructions of another type": lambda t: t.update(system=[{"type": "image"}]),
        "instructions that are no text": lambda t: t.update(system=5),
    }
    for name, change in changes.items():
        thread = copy.deepcopy(right)
        change(thread)
        yield f"anthropic with {name}", "anthropic", thread


def main(program):
    passed, failed = 0, 0

    def tell(name, problem):
        nonlocal passed, failed
        if problem is None:
            passed += 1
        else:
            failed += 1
            print(f"{name}: {problem}")

    said = 0
    for name, form, thread in Samples(program).all():
        said += 1
        try:
            CHECKS[form](thread)
            tell(name, None)
        except Refused as refused:
            tell(name, refused)
    tell("the samples", None if said > 100 else f"only {said} of them")
    for name, form, thread in wrong():
        try:
            CHECKS[form](thread)
            tell(name, "was not refused")
        except Refused:
            tell(name, None)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1]))
