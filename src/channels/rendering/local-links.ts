// What a document shows of the files beside it.
import type { Nodes } from "mdast";
import { isCostly } from "./cost.ts";
import { normalized, parseMarkdown } from "./tree.ts";

/** Addresses of links and images that name no host and no scheme, as `out/chart.png`, each once and in their order. */
export function localLinks(markdown: string): string[] {
  const source = normalized(markdown);
  // Most texts have no link: those are not parsed.
  if (!/\]\(|\]:/u.test(source) || isCostly(source)) return [];
  const found = new Set<string>();
  collect(parseMarkdown(source), found);
  return [...found];
}

function collect(node: Nodes, found: Set<string>): void {
  const isLink = node.type === "link" || node.type === "image" || node.type === "definition";
  if (isLink && isLocal(node.url)) found.add(node.url);
  if ("children" in node) for (const child of node.children) collect(child, found);
}

/** Without a scheme (`https:`), a host (`//`) and a place in the same document (`#`). */
function isLocal(url: string): boolean {
  return url !== "" && !/^(?:[a-z][a-z\d+.-]*:|\/\/|#|\?)/iu.test(url);
}
