export {
  grantAdministrator,
  listAdministrators,
  revokeAdministrator,
  type ChangedAccount,
} from "./govern-by-email.ts";
export {
  appoint,
  firstAccountGoverns,
  insertAdminAction,
  isNamed,
  namesAddress,
  type AdministratorConfig,
  type AdministratorsDeed,
} from "./queries.ts";
