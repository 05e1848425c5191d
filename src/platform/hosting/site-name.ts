/**
 * Builds a name of a slug and a suffix, within a rule that all providers' names fit: lower-case letters, digits and single
 * hyphens, a letter first, no hyphen last, at most `max` characters. The suffix stays whole; the slug is cut.
 */
export function createSiteName(max: number): (slug: string, suffix: string) => string {
  return (slug, suffix) => {
    const end = suffix.slice(0, max - 2);
    const readable = slug
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/gu, "-")
      .replace(/^[^a-z]+/u, "")
      .slice(0, max - end.length - 1)
      .replace(/-$/u, "");
    return `${readable || "s"}-${end}`;
  };
}
