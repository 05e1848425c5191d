import { normalizePath } from "#src/lib/project-path.ts";

/** Most files that go with one message. */
export const MAX_FILES = 5;

/**
 * Paths of the project's files that an answer links to or shows, as `![chart](out/chart.png)`. Hidden files are not among
 * them, because they hold settings and secrets more often than results.
 */
export async function linkedFiles(markdown: string): Promise<string[]> {
  // Most answers have no link: the parser is not loaded for those.
  if (!markdown.includes("](") && !markdown.includes("]:")) return [];
  const { localLinks } = await import("#src/channels/rendering/local-links.ts");
  const paths = localLinks(markdown).flatMap((link) => pathOf(link) ?? []);
  return [...new Set(paths)].slice(0, MAX_FILES);
}

function pathOf(link: string): string | undefined {
  const [address = ""] = link.split(/[?#]/u);
  try {
    const path = normalizePath(decodeURIComponent(address));
    return path.split("/").some((name) => name.startsWith(".")) ? undefined : path;
  } catch {
    return undefined; // no path of a project, or broken escapes
  }
}
