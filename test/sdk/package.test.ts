import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "..", "..");
/** Limit of what a page loads to start a task and follow it. */
const MAX_CORE_BYTES = 12 * 1024;

/** A folder whose only package is the packed client, with what it depends on. */
let folder: string;
let tarball: string;
let packed: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "client-package-"));
  await run("npm", ["pack", "--pack-destination", folder], { cwd: path.join(ROOT, "sdk") });
  const [name = ""] = await readdir(folder);
  tarball = path.join(folder, name);
  packed = path.join(folder, "node_modules", "@agent-workspace", "client");
  await mkdir(packed, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", packed, "--strip-components=1"]);
  await symlink(
    path.join(ROOT, "node_modules", "eventsource-parser"),
    path.join(folder, "node_modules", "eventsource-parser"),
  );
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A program that uses the public surface; a line below `@ts-expect-error` must not compile. */
const PROGRAM = `
import { NotFoundError, Workspace, type api, type Body, type TaskEvent } from "@agent-workspace/client";
import { CallbackError, verifyCallback } from "@agent-workspace/client/webhooks";

const workspace = new Workspace({ baseUrl: "https://service.test", accessToken: async () => "token", fetch });

export async function main(project_id: string): Promise<string | null> {
  const task = await workspace.tasks.invoke({ project_id, message: "Hello" });
  for await (const event of task.events({ after: 1 })) {
    const { id, type }: { id: number; type: TaskEvent["type"] } = event;
    if (event.type === "text_delta") event.content.toUpperCase();
    // @ts-expect-error -- only texts have it
    else event.content.toUpperCase();
    console.log(id, type);
  }
  const { status, response }: api.Task = await task.result({ timeoutMs: 1000 });
  return status === "completed" ? response : null;
}

export async function requests(body: Body<"POST /api/projects">): Promise<void> {
  const { id, slug } = await workspace.request("POST", "/api/projects", { body });
  const name: string = (await workspace.request("GET", "/api/projects/{project}", { path: { project: id } })).name;
  const bytes: Uint8Array = await workspace.files.read(slug, "a.bin");
  for await (const project of workspace.projects.all()) project.name.toUpperCase();
  const other: unknown = await workspace.request("GET", "/api/from/the/future", { query: { a: 1 } });
  // @ts-expect-error -- the path has a parameter
  await workspace.request("GET", "/api/projects/{project}");
  // @ts-expect-error -- a project has a name
  await workspace.request("POST", "/api/projects", { body: { source_type: "empty" } });
  // @ts-expect-error -- there is no such field
  await workspace.tasks.invoke({ project_id: id, message: "m", mesage: "m" });
  // @ts-expect-error -- the route does not honour a key
  await workspace.request("POST", "/api/teams", { body: { name: "Compilers" }, idempotencyKey: "k" });
  await workspace.request("POST", "/api/deployments/{project}/deploy-all", { path: { project: id } });
  console.log(name, bytes, other);
}

export async function receive(request: Request, secret: string): Promise<api.Task | undefined> {
  try {
    return await verifyCallback(await request.arrayBuffer(), request.headers, secret);
  } catch (error) {
    if (error instanceof CallbackError || error instanceof NotFoundError) return undefined;
    throw error;
  }
}
`;

describe("the packed client", () => {
  it("has nothing that publint would mend", async () => {
    const { messages, pkg } = await publint({ pkgDir: packed, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("has types that every resolution of ES modules finds", async () => {
    const analysis = await checkPackage(createPackageFromTarballData(await readFile(tarball)));
    if (!analysis.types) throw new Error("The package has no types");
    // It has ES modules only: the resolutions of CommonJS are of no matter.
    const problems = analysis.problems.filter(
      (problem) => !("resolutionKind" in problem) || !/node10|node16-cjs/u.test(problem.resolutionKind),
    );
    expect(problems).toEqual([]);
  });

  it("compiles: what is public has types, and what is not is refused", async () => {
    await writeFile(path.join(folder, "program.ts"), PROGRAM);
    const compilerOptions = {
      module: "node16",
      target: "es2022",
      lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    };
    const config = path.join(folder, "tsconfig.json");
    await writeFile(config, JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    const tsc = path.join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const output = await run(process.execPath, [tsc, "-p", config]).then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
    expect(output).toBe("");
  });

  it("runs", async () => {
    await writeFile(
      path.join(folder, "program.js"),
      `import { Workspace } from "@agent-workspace/client";
       import { verifyCallback } from "@agent-workspace/client/webhooks";
       console.log(new Workspace({ baseUrl: "http://127.0.0.1:1" }).baseUrl, typeof verifyCallback);`,
    );
    const { stdout } = await run(process.execPath, ["program.js"], { cwd: folder });
    expect(stdout).toBe("http://127.0.0.1:1 function\n");
  });

  it("has a core of at most 12 KiB", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: 'export { Workspace } from "@agent-workspace/client";',
        resolveDir: folder,
      },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      write: false,
    });
    expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(MAX_CORE_BYTES);
  });
});
