/** A template of the service's own. Its row is made by a migration, which also says how many files and bytes it has. */
export interface ServiceTemplate {
  id: string;
  /** Texts by path. */
  files: Readonly<Record<string, string>>;
}
