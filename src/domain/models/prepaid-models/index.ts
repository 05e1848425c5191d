export { PrepaidModel } from "./prepaid-model.ts";
