/** A name as a file's: letters and digits of any script, and hyphens. */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-");
  // By characters, so that none is cut in half; 60 of four bytes are a name that file systems take.
  return Array.from(slug).slice(0, 60).join("").replace(/^-|-$/g, "") || "plan";
}
