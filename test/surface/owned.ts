/** What a part of an estate needs to know of it. */
export interface Owned {
  owner: { token: string };
  samples: Readonly<Record<string, unknown>>;
}
