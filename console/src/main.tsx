import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { Router } from "wouter-preact";
import { App } from "./app.tsx";
import { reads } from "./service/reads.ts";
import { showTheme } from "./service/theme.ts";

showTheme();
const root = document.getElementById("console");
if (!root) throw new Error("The page has no #console");
render(
  <QueryClientProvider client={reads}>
    <Router base="/app">
      <App />
    </Router>
  </QueryClientProvider>,
  root,
);
