import type { EntryWithContent, StoredEntry } from "#src/platform/runtime/project-storage.ts";
import type { ServiceTemplate } from "./service-template.ts";
import { staticSite } from "./static-site.ts";
import { viteReact } from "./vite-react.ts";

export const SERVICE_TEMPLATES: readonly ServiceTemplate[] = [staticSite, viteReact];

/** The files of a template of the service's own, each folder before what is in it. */
export async function* entriesOf({ files }: ServiceTemplate): AsyncGenerator<EntryWithContent> {
  const modifiedAt = Date.now();
  const common = { modifiedAt, target: "" };
  const folders = new Set<string>();
  for (const [path, text] of Object.entries(files)) {
    for (const folder of foldersOf(path)) {
      if (folders.has(folder)) continue;
      folders.add(folder);
      const entry: StoredEntry = { ...common, path: folder, kind: "directory", size: 0, mode: 0o755 };
      yield { entry, content: contentOf() };
    }
    const bytes = new TextEncoder().encode(text);
    const entry: StoredEntry = { ...common, path, kind: "file", size: bytes.length, mode: 0o644 };
    yield { entry, content: contentOf(bytes) };
  }
}

/** The folders that a path lies in, from the outside. */
function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

async function* contentOf(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}
