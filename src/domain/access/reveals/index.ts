export { reveal, type RevealDeps } from "./reveal.ts";
