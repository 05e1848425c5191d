import { gzipSync } from "node:zlib";
import type { HostedSite, HostingProvider, Release } from "#src/platform/hosting/hosting.ts";

export const ENV_CANARY = "canary-of-a-variable-4711";

const encode = (text: string) => new TextEncoder().encode(text);

/** A release of texts by path. Its archive is JSON in place of a tar: the fakes read it, and nothing else does. */
export async function newRelease(
  provider: HostingProvider,
  site: HostedSite,
  texts: Readonly<Record<string, string>>,
  given: Partial<Release> = {},
): Promise<Release> {
  const list = await Promise.all(
    Object.entries(texts).map(async ([path, text]) => {
      const content = encode(text);
      return { path, size: content.byteLength, digest: await provider.digest(path, content) };
    }),
  );
  let notes: string | null = null;
  return {
    id: crypto.randomUUID(),
    site,
    mode: "pre-built",
    framework: null,
    buildCommand: null,
    outputDirectory: null,
    env: { GREETING: ENV_CANARY },
    files: {
      list,
      read: ({ path }) => Promise.resolve(encode(texts[path] ?? "")),
      archive: () => {
        const packed = gzipSync(JSON.stringify(texts));
        const body = new Blob([packed]).stream();
        return Promise.resolve({ bytes: packed.byteLength, body });
      },
    },
    source: {
      url: "https://git.example.com/ada/site.git",
      branch: "main",
      commit: "0".repeat(40),
      isPrivate: false,
    },
    again: null,
    notes: {
      get: () => notes,
      set: (next) => {
        notes = next;
        return Promise.resolve();
      },
    },
    ...given,
  };
}
