/** Something that a person owns and that works in a project without a sign-in. */
export interface WayIn {
  /** Uses it once in each manner that there is. Returns which of them worked. */
  works: () => Promise<Record<string, boolean>>;
}
