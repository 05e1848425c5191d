export {
  grantAdministrator,
  listAdministrators,
  revokeAdministrator,
  type ChangedAccount,
} from "./govern-by-email.ts";
export { appoint, firstAccountGoverns, isNamed, namesAddress, type AdministratorConfig } from "./queries.ts";
