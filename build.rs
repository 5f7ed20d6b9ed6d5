//! Turns the grammar into a parser in `OUT_DIR`; nothing else happens at build time.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::var("OUT_DIR")?;
    println!("cargo:rerun-if-changed=grammar");
    lalrpop::Configuration::new().set_in_dir("grammar").set_out_dir(out).process()
}
