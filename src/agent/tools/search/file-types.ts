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

/** Endings of files that are never text, so that they need not be read. */
const BINARY: ReadonlySet<string> = new Set(
  [
    "png jpg jpeg gif bmp ico webp avif tiff heic psd",
    "mp3 wav ogg flac m4a aac mp4 webm mov avi mkv",
    "woff woff2 ttf otf eot",
    "zip tar gz tgz bz2 xz zst 7z rar jar war pdf",
    "exe dll so dylib o a class pyc wasm sqlite sqlite3",
  ].flatMap((endings) => endings.split(" ")),
);

export function isNamedAsBinary(name: string): boolean {
  return BINARY.has(endingOf(name));
}

/** Returns the ending of a name; empty for names such as `Makefile` or `.env`. */
function endingOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
}
