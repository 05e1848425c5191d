/* `npm run cli` in a clone: npm changes into the clone's folder, and says in which one it was called. */
process.chdir(process.env["INIT_CWD"] ?? ".");
void import("./main.ts");
