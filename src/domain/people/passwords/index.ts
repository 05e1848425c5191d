export { hashPassword, passwordMatches, refusalOfPassword, type PasswordConfig } from "./passwords.ts";
