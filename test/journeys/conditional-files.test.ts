import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const { token } = await service.signUp();

/** A project of its own, and requests below its files, with headers. */
async function open() {
  const { id } = await service.newProject(token);
  const send = async (method: string, below: string, { headers = {}, json }: Sent = {}) => {
    const url = `/api/projects/${id}/files${below}`;
    const content = typeof json === "string" ? { body: json } : { json };
    const answer = await service.call(method, url, { token, headers, ...content });
    return { status: answer.status, etag: answer.headers.get("etag"), text: answer.text };
  };
  const read = async (path: string) => {
    const { status, text } = await send("GET", `/raw?path=${path}`);
    return status === 200 ? text : status;
  };
  const write = async (path: string, content: string) =>
    (await send("PUT", `/${path}`, { json: { content } })).etag ?? "";
  return { send, read, write };
}

interface Sent {
  headers?: Record<string, string>;
  json?: unknown;
}

const TAG = /^"[\w.-]+"$/u;

describe("the ETag of a file", () => {
  it("is the same in every answer about the file, and another after a change", async () => {
    const { send, write } = await open();
    const first = await write("a.txt", "one");
    expect(first).toMatch(TAG);
    for (const path of ["/a.txt", "/content?path=a.txt", "/raw?path=a.txt"]) {
      expect((await send("GET", path)).etag).toBe(first);
    }
    expect(JSON.parse((await send("GET", "/a.txt")).text)).toMatchObject({ etag: first });
    const listed = { files: [{ path: "a.txt", etag: first }] };
    expect(JSON.parse((await send("GET", "/tree")).text)).toMatchObject(listed);
    const batch = await send("POST", "/content/batch", { json: { paths: ["a.txt"] } });
    expect(JSON.parse(batch.text)).toMatchObject(listed);
    const raw = await send("PUT", "/raw?path=a.txt", { json: "two" });
    expect(raw.etag).toMatch(TAG);
    expect(raw.etag).not.toBe(first);
  });

  it("spares a client the content it has", async () => {
    const { send, write } = await open();
    const etag = await write("a.txt", "one");
    for (const path of ["/a.txt", "/content?path=a.txt", "/raw?path=a.txt"]) {
      for (const held of [`W/${etag}`, `"other", ${etag}`, "*"]) {
        const answer = await send("GET", path, { headers: { "if-none-match": held } });
        expect(answer).toEqual({ status: 304, etag, text: "" });
      }
      const other = await send("GET", path, { headers: { "if-none-match": '"other"' } });
      expect(other).toMatchObject({ status: 200, etag });
    }
    expect((await send("GET", "/none", { headers: { "if-none-match": "*" } })).status).toBe(404);
  });
});

describe("a conditional change", () => {
  const changes: [string, (path: string) => [string, string, unknown?]][] = [
    ["PUT by path", (path) => ["PUT", `/${path}`, { content: "new" }]],
    ["PUT raw", (path) => ["PUT", `/raw?path=${path}`, "new"]],
    ["save", (path) => ["POST", "/save", { file_path: path, content: "new" }]],
    ["DELETE by path", (path) => ["DELETE", `/${path}`]],
    ["DELETE by name", (path) => ["DELETE", "", { file_path: path }]],
    ["rename", (path) => ["POST", "/rename", { old_path: path, new_path: "moved" }]],
  ];

  it("is refused when the file has changed, and made when it has not", async () => {
    for (const [name, change] of changes) {
      const { send, read, write } = await open();
      const old = await write("a.txt", "one");
      const etag = await write("a.txt", "two");
      const [method, below, json] = change("a.txt");
      const refused = await send(method, below, { json, headers: { "if-match": old } });
      expect([name, refused.status, JSON.parse(refused.text)]).toEqual([
        name,
        412,
        { detail: '"a.txt": the file has changed since it was read' },
      ]);
      expect(await read("a.txt")).toBe("two");
      const made = await send(method, below, { json, headers: { "if-match": `"other", ${etag}` } });
      expect([name, made.status]).toEqual([name, 200]);
      expect(await read("a.txt")).not.toBe("two");
    }
  });

  it("makes a new file only where none is", async () => {
    const { send, read } = await open();
    for (const [kind, change] of changes.slice(0, 3)) {
      const name = kind.replaceAll(" ", "-");
      const [method, below, json] = change(name);
      const none = await send(method, below, { json, headers: { "if-match": "*" } });
      expect([none.status, JSON.parse(none.text)]).toEqual([
        412,
        { detail: `"${name}": there is no such file` },
      ]);
      const absent = { json, headers: { "if-none-match": "*" } };
      expect((await send(method, below, absent)).status).toBe(200);
      expect(await read(name)).toBe("new");
      const again = await send(method, below, absent);
      expect([again.status, JSON.parse(again.text)]).toEqual([
        412,
        { detail: `"${name}": the file exists already` },
      ]);
    }
  });

  it("is refused with a condition that is none", async () => {
    const { send, read } = await open();
    const conditions: Record<string, string>[] = [
      { "if-match": "abc" },
      { "if-none-match": '"abc"' },
      { "if-match": '"abc"', "if-none-match": "*" },
    ];
    for (const headers of conditions) {
      const { status } = await send("PUT", "/a.txt", { json: { content: "x" }, headers });
      expect([headers, status]).toEqual([headers, 400]);
    }
    expect(await read("a.txt")).toBe(404);
  });
});
