import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { randomBytes } from "#test/contracts/project-runtime/bytes.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const { token } = await service.signUp();

const MEGABYTE = 1024 * 1024;

/** A project of its own, and calls below its files. */
async function open() {
  const { id, slug } = await service.newProject(token);
  const call = <T = unknown>(method: string, below: string, json?: unknown) =>
    service.call<T>(method, `/api/projects/${id}/files${below}`, { token, json });
  const read = async (path: string) =>
    (await call<{ content: string }>("GET", `/content?path=${encodeURIComponent(path)}`)).body.content;
  return { id, slug, call, read };
}

describe("files under their own path", () => {
  it("are written, read and removed", async () => {
    const { call } = await open();
    expect(await call("PUT", "/src/app.ts", { content: "déjà vu\n" })).toMatchObject({
      status: 200,
      body: { status: "success", file_path: "src/app.ts", message: expect.any(String) },
    });
    expect(await call("GET", "/src/app.ts")).toMatchObject({
      status: 200,
      body: { content: "déjà vu\n", path: "src/app.ts", size: 10, encoding: "utf-8" },
    });
    expect(await call("DELETE", "/src/app.ts")).toMatchObject({
      status: 200,
      body: { file_path: "src/app.ts" },
    });
    expect((await call("GET", "/src/app.ts")).status).toBe(404);
  });

  it("may have names that need encoding, and those of other routes", async () => {
    const { call, read } = await open();
    for (const name of ["a b?#%.txt", "名前/🙂.txt", "tree", "save", "a+b&c=d"]) {
      const path = name.split("/").map(encodeURIComponent).join("/");
      expect((await call("PUT", `/${path}`, { content: name })).status).toBe(200);
      expect(await read(name)).toBe(name);
    }
    expect((await call("GET", "/%E5%90%8D%E5%89%8D%2F%F0%9F%99%82.txt")).status).toBe(200);
  });
});

describe("files as other clients name them", () => {
  it("are saved, listed, read one by one and in a batch", async () => {
    const { id, call } = await open();
    expect(await call("POST", "/save", { file_path: "src/a.ts", content: "A" })).toMatchObject({
      status: 200,
      body: { message: expect.any(String), file_path: "src/a.ts", method: expect.any(String) },
    });
    await call("POST", "/save", { file_path: "node_modules/x.js", content: "hidden" });
    expect(await call("GET", "/tree")).toMatchObject({
      status: 200,
      body: {
        status: "ready",
        files: [
          { path: "src", name: "src", is_dir: true, size: 0 },
          { path: "src/a.ts", name: "a.ts", is_dir: false, size: 1 },
        ],
      },
    });
    expect(await call("GET", "/content?path=a.ts&container_dir=src")).toMatchObject({
      status: 200,
      body: { status: "ready", path: "a.ts", content: "A", size: 1 },
    });
    expect(await call("GET", "/tree?container_dir=src")).toMatchObject({
      body: { files: [{ path: "a.ts" }] },
    });
    const expected = {
      status: 200,
      body: {
        status: "ready",
        files: [{ path: "a.ts", content: "A", size: 1 }],
        errors: ["none"],
        error_details: [{ path: "none", error: expect.any(String) }],
      },
    };
    const paths = ["a.ts", "none"];
    expect(await call("POST", "/content/batch?container_dir=src", { paths })).toMatchObject(expected);
    expect(await call("POST", "/content/batch", { paths, container_dir: "src" })).toMatchObject(expected);
    expect(await call("GET", "?from_volume=true&from_pod=false")).toMatchObject({
      status: 200,
      body: [{ id: expect.any(String), project_id: id, file_path: "src/a.ts", content: "A" }],
    });
  });

  it("are moved, grouped and removed", async () => {
    const { call, read } = await open();
    await call("POST", "/save", { file_path: "a/one", content: "1" });
    expect(await call("POST", "/rename", { old_path: "a", new_path: "deep/b" })).toMatchObject({
      status: 200,
      body: { message: expect.any(String), old_path: "a", new_path: "deep/b" },
    });
    expect(await read("deep/b/one")).toBe("1");
    expect(await call("POST", "/mkdir", { dir_path: "x/y" })).toMatchObject({
      status: 200,
      body: { message: expect.any(String), dir_path: "x/y" },
    });
    expect((await call("POST", "/rename", { old_path: "x", new_path: "deep" })).status).toBe(409);
    expect((await call("POST", "/rename", { old_path: "none", new_path: "new" })).status).toBe(404);
    expect((await call("DELETE", "", { file_path: "deep" })).status).toBe(409);
    expect(await call("DELETE", "", { file_path: "deep", is_directory: true })).toMatchObject({
      status: 200,
      body: { message: expect.any(String), file_path: "deep" },
    });
  });
});

/** A body's stream is sent in chunks, without its length. */
function raw(id: string, path: string, method = "GET", body?: BodyInit): Promise<Response> {
  return fetch(`${service.url}/api/projects/${id}/files/raw?path=${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body, duplex: "half" }),
  });
}

describe("bytes as they are", () => {
  it("go in and come out, also of unknown length, and none are there of no file", async () => {
    const { id } = await open();
    const bytes = randomBytes(3 * MEGABYTE + 3);
    const put = await raw(id, "video.bin", "PUT", new Blob([bytes]).stream());
    expect({ status: put.status, body: await put.json() }).toMatchObject({
      status: 200,
      body: { status: "success", file_path: "video.bin", size: bytes.length },
    });
    const got = await raw(id, "video.bin");
    expect(got.headers.get("content-type")).toBe("application/octet-stream");
    expect(got.headers.get("content-length")).toBe(String(bytes.length));
    expect(Buffer.compare(Buffer.from(await got.arrayBuffer()), bytes)).toBe(0);
    expect((await raw(id, "none")).status).toBe(404);
  });

  it("are refused above 100 MiB by their length alone, and the old file stays", async () => {
    const { id } = await open();
    await raw(id, "file", "PUT", "old");
    const upload = request(`${service.url}/api/projects/${id}/files/raw?path=file`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-length": 100 * MEGABYTE + 1 },
    });
    const refused = new Promise<number | undefined>((answered, failed) => {
      upload.on("response", ({ statusCode }) => answered(statusCode)).on("error", failed);
    });
    upload.write("new");
    expect(await refused).toBe(413);
    upload.destroy();
    expect(await (await raw(id, "file")).text()).toBe("old");
  });
});

it("a path that begins with a slash is one from the project's root, wherever a path is taken", async () => {
  const { id, call, read } = await open();
  expect(await call("PUT", "//src/a.txt", { content: "a" })).toMatchObject({
    status: 200,
    body: { file_path: "src/a.txt" },
  });
  expect(await read("/src/a.txt")).toBe("a");
  expect((await call("POST", "/mkdir", { dir_path: "/c" })).body).toMatchObject({ dir_path: "c" });
  const moved = await call("POST", "/rename", { old_path: "/src/a.txt", new_path: "/c/b.txt" });
  expect(moved.body).toMatchObject({ old_path: "src/a.txt", new_path: "c/b.txt" });
  expect((await raw(id, "/c/b.txt")).status).toBe(200);
  expect((await call("DELETE", "", { file_path: "/c/b.txt" })).status).toBe(200);
});

describe("paths that lead astray", () => {
  it("are refused with 400 where their encoding is malformed, or where they leave the project", async () => {
    const { call } = await open();
    const malformed = { detail: "The path's percent-encoding is malformed" };
    const astray = { detail: expect.any(String) };
    for (const [path, refusal] of [
      ["%zz", malformed],
      ["..%2fx", astray],
      ["a%2f..%2f..%2fx", astray],
    ] as const) {
      for (const method of ["GET", "PUT", "DELETE"]) {
        const json = method === "PUT" ? { content: "x" } : undefined;
        const { status, body } = await call(method, `/${path}`, json);
        expect([path, status, body]).toEqual([path, 400, refusal]);
      }
    }
  });

  it("are refused for what belongs to git, wherever something is changed", async () => {
    const { id, call } = await open();
    // The rules of paths are in test/lib/project-path.test.ts.
    for (const path of [".git/HEAD", "../x"]) {
      const query = `path=${encodeURIComponent(path)}`;
      const changes = await Promise.all([
        call("PUT", `/raw?${query}`),
        call("POST", "/save", { file_path: path, content: "x" }),
        call("DELETE", "", { file_path: path }),
        call("POST", "/rename", { old_path: path, new_path: "b" }),
        call("POST", "/rename", { old_path: "b", new_path: path }),
        call("POST", "/mkdir", { dir_path: path }),
      ]);
      for (const { status, body } of changes) {
        expect([path, status, body]).toEqual([path, 400, { detail: expect.any(String) }]);
      }
    }
    expect((await raw(id, ".git/HEAD", "PUT", "x")).status).toBe(400);
  });
});

it("bodies that do not fit are refused above the limit of the JSON forms", async () => {
  const { call } = await open();
  const content = "x".repeat(19 * MEGABYTE);
  expect((await call("PUT", "/large", { content })).status).toBe(413);
});

it("a write is noted as the project's last activity, a refused one is not", async () => {
  const { id, call } = await open();
  const activity = async () =>
    (await service.call<{ last_activity: string | null }>("GET", `/api/projects/${id}`, { token })).body
      .last_activity;
  await call("PUT", "/a/b", { content: "x" });
  const first = await activity();
  expect(first).toMatch(/Z$/u);
  expect((await call("PUT", "/a", { content: "x" })).status).toBe(409);
  expect(await activity()).toBe(first);
  await call("POST", "/mkdir", { dir_path: "later" });
  expect(await activity()).not.toBe(first);
});
