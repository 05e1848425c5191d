const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/x-icon",
};

/** The type of a picture, by the name of its file; undefined for what is not shown as one. SVG is text, which a person edits. */
export function pictureType(path: string): string | undefined {
  return TYPES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
}
