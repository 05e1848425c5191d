import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

const at = (path: string) => `/api/projects/${project}${path}`;
const write = (path: string, content: string, encoding = "utf-8") =>
  service.call("PUT", at(`/files/${path}`), { token: owner.token, json: { content, encoding } });
const diff = (path?: string, of = hash) =>
  service.call<api.GetSnapshotDiffAnswer>(
    "GET",
    at(`/snapshots/${of}/diff${path === undefined ? "" : `?path=${path}`}`),
    {
      token: owner.token,
    },
  );
const fileOf = (path: string, of = hash) =>
  fetch(`${service.url}${at(`/snapshots/${of}/file?path=${path}`)}`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });

const base64 = (bytes: readonly number[]) => Buffer.from(bytes).toString("base64");

const owner = await service.signUp("owner");
const project = (await service.newProject(owner.token)).id;
await write("same.txt", "same");
await write("again.txt", "again");
await write("changed.txt", "one\ntwo\nthree\n");
await write("deleted.txt", "gone soon");
await write("empty.txt", "");
await write("picture.bin", base64([0, 1, 2, 255]), "base64");
await write("node_modules/pkg/index.js", "1");
const made = await service.call<{ hash: string }>("POST", at("/snapshots"), {
  token: owner.token,
  json: { label: "before" },
});
const hash = made.body.hash;
await write("again.txt", "other");
await write("again.txt", "again");
await write("changed.txt", "one\n2\nthree\n");
await write("picture.bin", base64([0, 1, 2, 3, 4]), "base64");
await write("new/added.txt", "hello\n");
await write("node_modules/pkg/index.js", "22");
await service.call("DELETE", at("/files/deleted.txt"), { token: owner.token });

describe("GET /api/projects/{project}/snapshots/{hash}/diff", () => {
  it("lists what was added, changed and deleted, with sizes", async () => {
    const { status, body } = await diff();
    expect([status, body]).toEqual([
      200,
      {
        hash,
        files: [
          { path: "changed.txt", change: "changed", size: 12, size_before: 14, certain: true },
          { path: "deleted.txt", change: "deleted", size: null, size_before: 9, certain: true },
          { path: "new/added.txt", change: "added", size: 6, size_before: null, certain: true },
          { path: "picture.bin", change: "changed", size: 5, size_before: 4, certain: true },
        ],
        total: 4,
        truncated: false,
      },
    ]);
  });

  it("shows how one text file differs, and says of others why not", async () => {
    const changed = (await diff("changed.txt")).body;
    expect(changed.files).toMatchObject([{ path: "changed.txt", change: "changed" }]);
    expect(changed.diff).toContain("--- a/changed.txt\n+++ b/changed.txt\n");
    expect(changed.diff).toContain(" one\n-two\n+2\n three\n");
    expect((await diff("new/added.txt")).body.diff).toContain("--- /dev/null\n+++ b/new/added.txt");
    expect((await diff("deleted.txt")).body.diff).toContain("-gone soon");
    expect((await diff("/same.txt")).body).toMatchObject({ files: [], total: 0, diff: "" });
    expect((await diff("picture.bin")).body).toMatchObject({ total: 1, diff: null, diff_omitted: "binary" });
    expect((await diff("missing.txt")).status).toBe(404);
  });
});

describe("GET /api/projects/{project}/snapshots/{hash}/file", () => {
  it("returns the bytes that the file had, which no browser runs", async () => {
    const answer = await fileOf("deleted.txt");
    expect(await answer.text()).toBe("gone soon");
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": "9",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
    expect(new Uint8Array(await (await fileOf("picture.bin")).arrayBuffer())).toEqual(
      new Uint8Array([0, 1, 2, 255]),
    );
    expect(await (await fileOf("empty.txt")).text()).toBe("");
  });

  it("knows only files of the snapshot", async () => {
    expect((await fileOf("new/added.txt")).status).toBe(404);
    expect((await fileOf("same.txt", "0".repeat(64))).status).toBe(404);
  });
});
