import { endingOf } from "#src/domain/workspaces/files/index.ts";

/** Endings of file names by language, under ripgrep's names (`rg --type-list`). */
const ENDINGS = {
  c: "c h",
  cpp: "cpp cc cxx hpp hh hxx h",
  csharp: "cs",
  css: "css scss sass less",
  dart: "dart",
  elixir: "ex exs",
  go: "go",
  graphql: "graphql gql",
  html: "html htm",
  java: "java",
  js: "js jsx mjs cjs vue",
  json: "json jsonc",
  kotlin: "kt kts",
  lua: "lua",
  md: "md mdx markdown",
  php: "php",
  prisma: "prisma",
  proto: "proto",
  py: "py pyi",
  ruby: "rb",
  rust: "rs",
  sh: "sh bash zsh",
  sql: "sql",
  svelte: "svelte",
  swift: "swift",
  toml: "toml",
  ts: "ts tsx mts cts",
  txt: "txt",
  vue: "vue",
  xml: "xml svg",
  yaml: "yaml yml",
};

const endingsOf = (names: string) => new Set(names.split(" "));

export const FILE_TYPES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...Object.entries(ENDINGS).map(([type, names]) => [type, endingsOf(names)] as const),
  ["python", endingsOf(ENDINGS.py)],
  ["typescript", endingsOf(ENDINGS.ts)],
  ["javascript", endingsOf(ENDINGS.js)],
  ["markdown", endingsOf(ENDINGS.md)],
]);

export function matchesType(type: string, name: string): boolean {
  return FILE_TYPES.get(type)?.has(endingOf(name)) ?? false;
}
