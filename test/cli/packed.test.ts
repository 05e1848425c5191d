import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, describe, expect, it } from "vitest";
import manifest from "../../cli/package.json" with { type: "json" };

const run = promisify(execFile);
const CLI = path.join(import.meta.dirname, "..", "..", "cli");

const modules = () => path.join(folder, "node_modules");

/** Runs a program in the folder, without a registry. */
const here = (program: string, args: readonly string[]) =>
  run(program, args, {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      npm_config_cache: path.join(home, "cache"),
      npm_config_offline: "true",
      npm_config_update_notifier: "false",
    },
  });

const home = await mkdtemp(path.join(tmpdir(), "cli-home-"));
/** A folder in which nothing is installed but the packed command line. */
const folder = path.join(home, "empty");
const packed = path.join(home, "packed");
await Promise.all([mkdir(folder), mkdir(packed)]);
await run("npm", ["pack", "--pack-destination", packed], { cwd: CLI });
const [tarball = ""] = await readdir(packed);
await writeFile(path.join(folder, "package.json"), '{"private":true}');
await here("npm", ["install", "--no-audit", "--no-fund", path.join(packed, tarball)]);
afterAll(() => rm(home, { recursive: true, force: true }));

describe("the packed command line", () => {
  it("is one program, and needs no other package", async () => {
    const installed = await readdir(modules());
    expect(installed.filter((name) => !name.startsWith("."))).toEqual(["@agent-workspace"]);
    expect(await readdir(path.join(modules(), "@agent-workspace"))).toEqual(["cli"]);
    const files = await readdir(path.join(modules(), "@agent-workspace", "cli"), { recursive: true });
    expect(files.toSorted()).toEqual([
      "README.md",
      "dist",
      path.join("dist", "workspace.cjs"),
      "package.json",
    ]);
  });

  it("has nothing that publint would mend", async () => {
    const { messages, pkg } = await publint({
      pkgDir: path.join(modules(), "@agent-workspace", "cli"),
      strict: true,
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("tells its version", async () => {
    const { stdout, stderr } = await here(path.join(modules(), ".bin", "workspace"), ["--version"]);
    expect({ stdout, stderr }).toEqual({ stdout: `${manifest.version}\n`, stderr: "" });
  });
});
