// `gsv oauth`: accounts at other services.

import { command } from "../define.ts";
import { declared, noun } from "../derive.ts";
import { SIGN_IN_FIELDS, signIn } from "./sign-in.ts";

export async function oauth() {
  const { input } = await declared("sys.oauth.start");
  const { clientSecret: _, redirectUri: __, port: ___, ...fields } = input;
  const start = command(
    {
      name: "oauth start",
      summary: "Sign in to a service",
      input: { ...fields, ...SIGN_IN_FIELDS },
      examples: [
        "gsv oauth start forge --issuer https://forge.example.com --client-id gsv",
        "gsv oauth start forge --authorize https://forge.example.com/authorize --token https://forge.example.com/token --client-id gsv --scope read",
      ],
    },
    async ({ args, json }, io) => await signIn(io, args as Parameters<typeof signIn>[1], json),
  );
  return await noun("oauth", "Sign in to other services", {
    list: "sys.oauth.list",
    start,
    forget: "sys.oauth.forget",
  });
}
