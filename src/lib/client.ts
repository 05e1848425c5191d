/** The origin of a request; stored with sessions and audit entries so that people can tell them apart. */
export interface Client {
  address: string;
  userAgent: string;
}
