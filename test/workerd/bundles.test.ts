import { describe, expect, it } from "vitest";
import {
  buildProject,
  bundlesOf,
  deleteBundle,
  openBundle,
  storeBundle,
} from "#src/domain/hosting/bundles/index.ts";
import { unpackEntries } from "#src/domain/workspaces/archives/index.ts";
import { r2Archives } from "#src/platform/archives/r2.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { randomBytes, same } from "../contracts/project-runtime/bytes.ts";
import { openProject } from "../durable-objects/support/open-project.ts";
import { bindings } from "../durable-objects/support/bindings.ts";

const archives = r2Archives(bindings.PROJECT_ARCHIVES);
const config = bindings;
const MEGABYTE = 1024 * 1024;

async function digest(_: string, content: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-1", new Uint8Array(content));
  return Buffer.from(hash).toString("hex");
}

describe("a bundle of a project in its object", () => {
  it("is built by the project's shell, stored in the bucket, read in ranges, and archived", async () => {
    const { runtime } = openProject();
    const large = randomBytes(9 * MEGABYTE);
    await runtime.writeFile("web/film", large);
    await runtime.writeFile("web/page.md", new TextEncoder().encode("# Title"));
    await runtime.writeFile("secret", new TextEncoder().encode("no"));
    const lines: string[] = [];
    await buildProject({ log: { warn: () => undefined } }, runtime, {
      directory: "web",
      buildCommand:
        'mkdir dist && cp page.md dist/index.html && cp film dist/ && echo "$NODE_ENV $KEY" && ' +
        "ln -s index.html dist/link && ln -s ../../secret dist/out && ln -s /app/web/dist/index.html dist/absolute && chmod +x dist/film",
      env: { KEY: "canary-1234" },
      timeoutMs: HANGS_MS,
      onOutput: (more) => lines.push(...more),
    });
    expect(lines.at(-1)).toBe("production ***");

    const prefix = bundlesOf(crypto.randomUUID());
    const wish = { prefix, directory: "web", outputDirectory: null, mode: "pre-built", digest } as const;
    const bundle = await storeBundle({ archives, config }, runtime, wish);
    expect(bundle).toMatchObject({ files: 4, bytes: 9 * MEGABYTE + 21 });
    await runtime.writeFile("web/dist/index.html", new TextEncoder().encode("changed"));
    expect(await storeBundle({ archives, config }, runtime, wish)).toEqual(bundle);

    const files = await openBundle(archives, bundle);
    expect(files.list.map(({ path }) => path)).toEqual(["absolute", "film", "index.html", "link"]);
    const contents = await Promise.all(files.list.map((file) => files.read(file)));
    const digests = contents.map((content) => digest("", content));
    expect(files.list.map((file) => file.digest)).toEqual(await Promise.all(digests));
    expect(contents.map((content) => same(content, large))).toEqual([false, true, false, false]);
    const small = [contents[0], ...contents.slice(2)].map((content) => new TextDecoder().decode(content));
    expect(small).toEqual(["# Title", "# Title", "# Title"]);

    const { bytes, body } = await files.archive();
    // What a request of a known length needs: it fails at any other number of bytes.
    const sent = body.pipeThrough(new FixedLengthStream(bytes));
    const unpacked: unknown[] = [];
    const tar = sent.pipeThrough(new DecompressionStream("gzip"));
    for await (const { header, content } of unpackEntries(tar)) {
      const { byteLength } = await new Response(content).arrayBuffer();
      unpacked.push([header.name, byteLength, header.mode, header.mtime?.getTime()]);
    }
    const time = Date.UTC(2000, 0, 1);
    expect(unpacked).toEqual([
      ["absolute", 7, 0o644, time],
      ["film", 9 * MEGABYTE, 0o755, time],
      ["index.html", 7, 0o644, time],
      ["link", 7, 0o644, time],
    ]);
    await deleteBundle(archives, prefix);
    expect((await bindings.PROJECT_ARCHIVES.list({ prefix })).objects).toEqual([]);
  });

  it("is absent when the files are", async () => {
    const { runtime } = openProject();
    await runtime.writeFile("index.html", new TextEncoder().encode("x"));
    await runtime.freeze(1);
    await runtime.discard(1);
    const prefix = bundlesOf(crypto.randomUUID());
    const wish = { prefix, directory: "", outputDirectory: null, mode: "source", digest } as const;
    await expect(storeBundle({ archives, config }, runtime, wish)).rejects.toMatchObject({ code: "asleep" });
    expect((await bindings.PROJECT_ARCHIVES.list({ prefix })).objects).toEqual([]);
  });
});
