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

/** Rows by method and path. */
export type Rows = Readonly<Record<string, Row>>;
