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
import { afterAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "..", "..");
/** Limit of what a page loads to start a task and follow it. */
const MAX_CORE_BYTES = 12 * 1024;

/** A folder whose only package is the packed client, with what it depends on. */
const folder = await mkdtemp(path.join(tmpdir(), "client-package-"));
await run("npm", ["pack", "--pack-destination", folder], { cwd: path.join(ROOT, "sdk") });
const [name = ""] = await readdir(folder);
const tarball = path.join(folder, name);
const packed = path.join(folder, "node_modules", "@agent-workspace", "client");
await mkdir(packed, { recursive: true });
await run("tar", ["-xzf", tarball, "-C", packed, "--strip-components=1"]);
await symlink(
  path.join(ROOT, "node_modules", "eventsource-parser"),
  path.join(folder, "node_modules", "eventsource-parser"),
);
await writeFile(path.join(folder, "package.json"), '{"type":"module"}');

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

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
