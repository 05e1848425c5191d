import { packEntries } from "#src/domain/workspaces/archives/index.ts";
import type { HostedSite, HostingProvider, Release } from "#src/platform/hosting/hosting.ts";

export const ENV_CANARY = "canary-of-a-variable-4711";

const encode = (text: string) => new TextEncoder().encode(text);

/** Makes of a folder what Heroku runs. */
export const PROGRAM = '{"scripts":{"start":"node ."}}';

/** A release of texts by path. Its archive has them as the public files of a program, as the service makes it. */
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
      archive: () => programOf(texts),
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

async function programOf(texts: Readonly<Record<string, string>>) {
  const published = Object.entries(texts).map(([name, text]) => [`public/${name}`, text] as const);
  async function* entries() {
    for (const [path, text] of [["package.json", PROGRAM] as const, ...published]) {
      const size = Buffer.byteLength(text);
      const entry = { path, kind: "file", size, mode: 0o644, modifiedAt: 0, target: "" } as const;
      yield { entry, content: new Blob([text]).stream() };
    }
  }
  const packed = packEntries(entries()).pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return { bytes: bytes.byteLength, body: new Blob([bytes]).stream() };
}
