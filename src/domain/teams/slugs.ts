/** Names that stand for something else in the paths of teams. */
const RESERVED: ReadonlySet<string> = new Set(["invitations"]);

/** Whether a slug may be somebody's: it must not read as a part of a path. */
export function isReservedSlug(slug: string): boolean {
  return RESERVED.has(slug);
}

/** Whether a text may be the slug of a team at all; texts of other forms name none. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9-]{1,100}$/u.test(text);
}
