/** Who is admitted to an operation, and what others get. */
export interface Row {
  /** As the published document says it. */
  admits:
    | "person"
    | "superuser"
    | `member: ${string}`
    | `person or key: ${string}`
    | `key: ${string}`
    | `key of the task: ${string}`;
  /** Status for a person without access to what the path or the body names. */
  stranger?: 403 | 404;
  /** Status for a member whose role is viewer. */
  viewer?: 403 | 404;
  /** Status for any key that is good, where only people are admitted; 401 unless it is said. */
  key?: 403;
  /** Whether a key that is bound to another project is refused. */
  project?: true;
}

/** Rows by path and method. */
export type Rows = Readonly<
  Record<string, Partial<Record<"GET" | "POST" | "PUT" | "PATCH" | "DELETE", Row>>>
>;

/** Any person, for themselves. */
export const PERSON: Row = { admits: "person" };
export const SUPERUSER: Row = { admits: "superuser" };
/** Any person, of what is theirs alone or their team's. */
export const NAMED: Row = { admits: "person", stranger: 404 };
/** The person whose it is alone. */
export const OWN: Row = { admits: "person", stranger: 404, viewer: 404 };
/** Editors of the team that is worked in. */
export const EDITOR: Row = { admits: "person", viewer: 403 };
/** Editors of what the request names. */
export const OF_EDITORS: Row = { admits: "person", stranger: 404, viewer: 403 };

/** Every person, and every key with the scope. */
export const anyone = (scope: string): Row => ({ admits: `person or key: ${scope}` });
/** Every member of the project, and their keys with the scope. */
export const reads = (scope: string): Row => ({ ...anyone(scope), stranger: 404, project: true });
/** The same without viewers. */
export const changes = (scope: string): Row => ({ ...reads(scope), viewer: 403 });
/** The person whose it is in the project, and their keys with the scope. */
export const isPrivate = (scope: string): Row => ({ ...reads(scope), viewer: 404 });
/** Members of the team in the path whose role has the permission. */
export const member = (permission: string): Row => ({ admits: `member: ${permission}`, stranger: 404 });
/** The same, where a viewer's role has it not. */
export const manages = (permission: string): Row => ({ ...member(permission), viewer: 403 });
