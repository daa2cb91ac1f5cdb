// The scripts are imported as text (`with { type: "text" }`); this tells the type checker so.

declare module "*.bash" {
  const text: string;
  export default text;
}

declare module "*.zsh" {
  const text: string;
  export default text;
}

declare module "*.fish" {
  const text: string;
  export default text;
}
