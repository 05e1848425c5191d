import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

const search = (query: Record<string, string>) =>
  service.call<api.SearchFilesAnswer>(
    "GET",
    `/api/projects/${project}/files/search?${new URLSearchParams(query)}`,
    {
      token: owner.token,
    },
  );
const places = async (query: Record<string, string>) =>
  (await search(query)).body.hits.map(({ path, line, column }) => `${path}:${line}:${column}`);

const FILES: Record<string, string> = {
  "notes.txt": "first\nsecond needle, and a needle\r\n\nNEEDLE at the end",
  "src/a.ts": "const needle = 1;\n",
  "src/deep/b.ts": "// nothing here\n",
  "regex.txt": "a.b*c\naxbbc\n[x] (y) {z} \\d $ ^ | ? + /\n",
  "long.txt": `${"😀".repeat(400)}needle`,
  "node_modules/pkg/index.js": "needle",
  "binary.dat": "\0needle",
  "picture.png": "needle",
};

const owner = await service.signUp("owner");
const project = (await service.newProject(owner.token)).id;
for (const [path, content] of Object.entries(FILES)) {
  const { token } = owner;
  await service.call("PUT", `/api/projects/${project}/files/${path}`, { token, json: { content } });
}

describe("GET /api/projects/{project}/files/search", () => {
  it("finds the lines that contain a text, each once, but not in binary or generated files", async () => {
    expect(await places({ q: "needle" })).toEqual([
      "long.txt:1:801",
      "notes.txt:2:8",
      "notes.txt:4:1",
      "src/a.ts:1:7",
    ]);
    const { body } = await search({ q: "needle" });
    expect(body).toMatchObject({ truncated: false, files_searched: 5 });
    expect(body.hits[1]?.text).toBe("second needle, and a needle");
    expect(body.hits[0]?.text).toBe("😀".repeat(150));
  });

  it("tells upper and lower case apart on request, and searches below a directory or in a file", async () => {
    expect(await places({ q: "NEEDLE", case: "true" })).toEqual(["notes.txt:4:1"]);
    expect(await places({ q: "needle", under: "/src" })).toEqual(["src/a.ts:1:7"]);
    expect(await places({ q: "needle", under: "notes.txt" })).toEqual(["notes.txt:2:8", "notes.txt:4:1"]);
    expect((await search({ q: "needle", under: "missing" })).status).toBe(404);
    expect((await search({ q: "needle", under: "../other" })).status).toBe(400);
  });

  it("takes the text literally", async () => {
    expect(await places({ q: "a.b*c" })).toEqual(["regex.txt:1:1"]);
    expect(await places({ q: "[x] (" })).toEqual(["regex.txt:3:1"]);
  });

  it("says when there may be more than it returns", async () => {
    const { body } = await search({ q: "needle", limit: "2" });
    expect([body.hits.length, body.truncated]).toEqual([2, true]);
    const all = await search({ q: "needle", limit: "4" });
    expect([all.body.hits.length, all.body.truncated]).toEqual([4, false]);
  });

  it("refuses what is no text, or too much of it", async () => {
    for (const query of [{ q: "" }, { q: "two\nlines" }, { q: "x".repeat(1_001) }])
      expect((await search(query)).status).toBe(422);
  });
});
