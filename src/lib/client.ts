/** Who is calling from where; kept with sessions and audit entries, so that people can tell them apart. */
export interface Client {
  address: string;
  userAgent: string;
}
