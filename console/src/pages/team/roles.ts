/** What people may be in a team, and what each of them may do. */
export const ROLES = [
  { role: "viewer", may: "can view projects and chats" },
  { role: "editor", may: "can also work in projects" },
  { role: "admin", may: "can also manage people, billing and settings" },
] as const;

export type Role = (typeof ROLES)[number]["role"];

/** The role that a form has; the least one where it has none. */
export function roleOf(value: unknown): Role {
  return ROLES.find(({ role }) => role === value)?.role ?? "viewer";
}
