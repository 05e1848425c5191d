export { hashPassword, passwordMatches, refusalOfPassword } from "./passwords.ts";
