import type { FileEntry, ProjectFiles } from "#src/platform/runtime/project-files.ts";

/** Directories of generated files. */
const EXCLUDED_DIRECTORIES = [
  "node_modules",
  ".git",
  "__pycache__",
  ".next",
  "dist",
  "build",
  ".venv",
  "venv",
  ".cache",
  ".turbo",
  "coverage",
  ".nyc_output",
  "lost+found",
  "target",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
];

const EXCLUDED_FILES = new Set([".DS_Store", "Thumbs.db", ".env.local"]);

/** Extensions of files that an editor does not open. */
const EXCLUDED_EXTENSIONS = new Set(
  [
    "png jpg jpeg gif bmp ico webp avif tiff heic psd",
    "mp3 wav ogg flac m4a aac mp4 webm mov avi mkv",
    "woff woff2 ttf otf eot",
    "zip tar gz tgz bz2 xz zst 7z rar jar war",
    "pdf doc docx xls xlsx ppt pptx",
    "exe dll so dylib bin o a obj class pyc pyo pyd wasm node",
    "db sqlite sqlite3",
    "lock map",
  ].flatMap((extensions) => extensions.split(" ")),
);

/** Directories that a copy of a project does without: git and the package manager make them. */
const NEVER_COPIED = [".git", "node_modules"];

/**
 * The tree that an editor shows: files and directories below `directory`, parents first, with paths relative to it,
 * without generated files. With `all`, every file that is not in `.git` or `node_modules`. Throws `not_found` and
 * `conflict` if there is no such directory.
 */
export async function readTree(
  runtime: ProjectFiles,
  directory: string,
  { all = false }: { all?: boolean } = {},
): Promise<FileEntry[]> {
  const exclude = all ? NEVER_COPIED : EXCLUDED_DIRECTORIES;
  const entries = await runtime.list(directory, { recursive: true, exclude });
  const above = directory === "" ? 0 : directory.length + 1;
  return entries
    .filter((entry) => all || entry.kind === "directory" || !isExcludedFile(entry.name))
    .map((entry) => ({ ...entry, path: entry.path.slice(above) }));
}

function isExcludedFile(name: string): boolean {
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
  return EXCLUDED_FILES.has(name) || EXCLUDED_EXTENSIONS.has(extension);
}
