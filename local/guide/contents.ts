import { readFileSync } from "node:fs";
import path from "node:path";
import { marked, type Token, type Tokens } from "marked";

const FOLDER = path.join(import.meta.dirname, "../../docs/guide");

/** A page of `docs/guide`. */
export interface GuidePage {
  /** File name without `.md`, and the last segment of the page's address; `index` is the table of contents. */
  name: string;
  title: string;
  /** What the table of contents says of the page; of the table itself, its first paragraph. */
  summary: string;
  markdown: string;
}

/**
 * Returns the pages in their order: the table of contents, and what its list links to. An entry of the list is
 * `- [title](name.md): summary`.
 */
export function readGuide(): GuidePage[] {
  const markdown = readPage("index");
  const tokens = marked.lexer(markdown);
  const list = tokens.find((token): token is Tokens.List => token.type === "list");
  const first = tokens.find((token): token is Tokens.Paragraph => token.type === "paragraph");
  const entries = (list?.items ?? []).map(({ text }) => {
    const entry = /^\[(?<title>[^\]]+)\]\((?<name>[a-z-]+)\.md\): (?<summary>.+)$/su.exec(text)?.groups;
    if (!entry) throw new Error(`docs/guide/index.md: not an entry of the table of contents: ${text}`);
    const { title = "", name = "", summary = "" } = entry;
    return { title, name, summary, markdown: readPage(name) };
  });
  return [{ name: "index", title: titleOf(tokens), summary: first?.text ?? "", markdown }, ...entries];
}

function readPage(name: string): string {
  return readFileSync(path.join(FOLDER, `${name}.md`), "utf8");
}

function titleOf(tokens: readonly Token[]): string {
  const heading = tokens.find((token): token is Tokens.Heading => token.type === "heading");
  return heading?.text ?? "";
}
