export { normalizePath } from "./normalize-path.ts";
