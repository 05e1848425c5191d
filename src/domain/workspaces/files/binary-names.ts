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
export function endingOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
}
