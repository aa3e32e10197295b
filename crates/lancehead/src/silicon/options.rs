//! Options that front ends pass to Silicon, under its names.
//!
//! Those that say what is to be verified are translated into ours, or refused where we cannot do it.
//! Those that say how Silicon is to go about it mean nothing here and are passed over.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches};
use driver::select::Selection;

use crate::args::{self, ExhaleMode, JoinMode, Plugin, Verify};

/// An option of Silicon.
struct Known {
    name: &'static str,
    takes_value: bool,
    meaning: Meaning,
}

/// What becomes of it.
enum Meaning {
    /// It is this option of ours.
    Ours(&'static str),
    /// It is about how Silicon works inside, or about files that we do not write.
    Ignored,
    /// It would change what is proved or printed, which we cannot do; with what to do instead.
    Refused(&'static str),
}

use Meaning::{Ignored, Ours, Refused};

const fn flag(name: &'static str, meaning: Meaning) -> Known {
    Known { name, takes_value: false, meaning }
}

const fn value(name: &'static str, meaning: Meaning) -> Known {
    Known { name, takes_value: true, meaning }
}

/// By name. `--timeout` and `--counterexample` are missing: they are ours too.
const KNOWN: &[Known] = &[
    flag("alternativeFunctionVerificationOrder", Ignored),
    value("assertionMode", Ignored),
    value("assertTimeout", Ours("--assert-timeout")),
    flag("assumeInjectivityOnInhale", Ours("--assume-injectivity-on-inhale")),
    value("checkTimeout", Ignored),
    flag("conditionalizePermissions", Ignored),
    value("cvc5Exe", Ignored),
    flag("dependencies", Ignored),
    flag("disableAdtPlugin", Ours("--disable-plugin adt")),
    flag("disableCaches", Ignored),
    flag("disableCaching", Ignored),
    flag("disableCatchingExceptions", Ignored),
    flag("disableChunkOrderHeuristics", Ignored),
    flag("disableDefaultPlugins", Ours("--disable-plugin, for all of them")),
    flag("disableFunctionUnfoldTrigger", Ignored),
    flag("disableHavocHack407", Ignored),
    flag("disableISCTriggers", Ignored),
    flag("disableNL", Ours("--z3-option smt.arith.nl=false")),
    flag("disableShortCircuitingEvaluations", Refused("operators always short-circuit")),
    flag("disableSubsumption", Refused("what was asserted is always assumed afterwards")),
    flag("disableTempDirectory", Ignored),
    flag("disableTerminationPlugin", Ours("--disable-plugin termination")),
    flag("disableValueMapCaching", Ignored),
    flag("enableBranchconditionReporting", Ignored),
    flag("enableMoreCompleteExhale", Ours("--exhale-mode complete")),
    flag("enablePredicateTriggersOnInhale", Ignored),
    flag("enableSmokeDetection", Ours("--smoke")),
    flag("enableTempDirectory", Ignored),
    value("excludeMethods", Ours("these methods are left out; `*` and `?` are wildcards")),
    value("exhaleMode", Ours("--exhale-mode: 0 greedy, 1 complete, 2 on-demand")),
    flag("handlePureConjunctsIndividually", Ignored),
    flag("ideModeAdvanced", Ignored),
    flag("ignoreFile", Ignored),
    value("includeMethods", Ours("of the methods, only these; `*` and `?` are wildcards")),
    value("logConfig", Ignored),
    value("logLevel", Ignored),
    value("mapAxiomatizationFile", Refused("the axioms of maps are built in")),
    value("maxHeuristicsDepth", Ignored),
    value("methods", Ours("of the methods, only this one; `:all` for all")),
    value("moreJoins", Ours("--join: 0 off, 1 impure, 2 all")),
    value("multisetAxiomatizationFile", Refused("the axioms of multisets are built in")),
    flag("no-timing", Ours("no times in --format silicon")),
    value("numberOfErrorsToReport", Ours("--max-errors")),
    value("numberOfParallelVerifiers", Ours("--jobs")),
    flag("parallelizeBranches", Ignored),
    flag("parseOnly", Refused("use `lancehead check`")),
    value("plugin", Ours("Viper's own plugins, which are built in; others are refused")),
    flag("printMethodCFGs", Refused("there is no such output")),
    flag("printTranslatedProgram", Refused("use `lancehead print --core`")),
    value("prover", Ours("Z3 or Z3-API; both are a Z3 process")),
    value("proverArgs", Ours("--z3-option, as far as they are of the form KEY=VALUE")),
    value("proverConfigArgs", Ours("--z3-option, for each KEY=VALUE")),
    flag("proverEnableResourceBounds", Ignored),
    value("proverLogFile", Ours("--dump-smt: a folder of this name")),
    flag("proverRandomizeSeeds", Ignored),
    value("proverResourcesPerMillisecond", Ignored),
    value("proverSaturationTimeout", Ignored),
    value("proverSaturationTimeoutWeights", Ignored),
    value("pushTimeout", Ignored),
    value("qpSplitTimeout", Ignored),
    value("recursivePredicateUnfoldings", Ignored),
    flag("reportReasonUnknown", Ignored),
    flag("respectFunctionPrePermAmounts", Refused("functions need read access only")),
    value("sequenceAxiomatizationFile", Refused("the axioms of sequences are built in")),
    value("setAxiomatizationFile", Refused("the axioms of sets are built in")),
    value("stateConsolidationMode", Ignored),
    flag("submitForEvaluation", Ignored),
    value("tempDirectory", Ignored),
    flag("unsafeWildcardOptimization", Ignored),
    flag("useOldAxiomatization", Ignored),
    flag("writeSymbexLogFile", Ignored),
    value("z3Args", Ours("as --proverArgs")),
    value("z3ConfigArgs", Ours("as --proverConfigArgs")),
    flag("z3EnableResourceBounds", Ignored),
    value("z3Exe", Ours("--z3")),
    value("z3LogFile", Ours("as --proverLogFile")),
    flag("z3RandomizeSeeds", Ignored),
    value("z3ResourcesPerMillisecond", Ignored),
    value("z3SaturationTimeout", Ignored),
    value("z3SaturationTimeoutWeights", Ignored),
];

/// Plugins that come with Viper, and ours.
const PLUGINS: [(&str, Option<Plugin>); 5] = [
    ("viper.silver.plugin.standard.adt.AdtPlugin", Some(Plugin::Adt)),
    ("viper.silver.plugin.standard.termination.TerminationPlugin", Some(Plugin::Termination)),
    ("viper.silver.plugin.standard.refute.RefutePlugin", Some(Plugin::Refute)),
    (
        "viper.silver.plugin.standard.predicateinstance.PredicateInstancePlugin",
        Some(Plugin::PredicateInstances),
    ),
    ("viper.silver.plugin.standard.smoke.SmokeDetectionPlugin", None),
];

/// Silicon's options as they were given. A flag has no value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(Vec<(&'static str, String)>);

impl clap::Args for Options {
    fn augment_args(command: Command) -> Command {
        KNOWN.iter().fold(command, |command, known| {
            let arg = Arg::new(known.name).long(known.name).hide(true);
            command.arg(if known.takes_value {
                arg.action(ArgAction::Append).allow_hyphen_values(true)
            } else {
                arg.action(ArgAction::SetTrue)
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Options {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Options, Error> {
        let mut given = Vec::new();
        for known in KNOWN {
            if known.takes_value {
                let values = matches.get_many::<String>(known.name).into_iter().flatten();
                given.extend(values.map(|value| (known.name, value.clone())));
            } else if matches.get_flag(known.name) {
                given.push((known.name, String::new()));
            }
        }
        Ok(Options(given))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Options::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What Silicon's options ask for: ours, and what we have no option for.
pub(crate) struct Translation {
    /// The arguments with Silicon's options worked into them.
    pub args: Verify,
    /// The Z3, if one was named.
    pub z3: Option<PathBuf>,
    /// The members to verify.
    pub selection: Selection,
    /// Are times printed in Silicon's format?
    pub timing: bool,
}

impl Translation {
    /// Translates what was given.
    ///
    /// # Errors
    /// If an option cannot be honoured, or its value makes no sense.
    pub(crate) fn of(args: &Verify) -> Result<Translation, String> {
        let selection = Selection { members: args.members.clone(), ..Selection::default() };
        let mut translation = Translation { args: args.clone(), z3: None, selection, timing: true };
        for (name, value) in &args.silicon.0 {
            let refused = KNOWN.iter().find(|known| known.name == *name);
            if let Some(Known { meaning: Refused(why), .. }) = refused {
                return Err(format!("Silicon's option --{name} is not supported: {why}"));
            }
            translation.add(name, value).map_err(|problem| {
                format!("the value '{value}' of Silicon's option --{name}: {problem}")
            })?;
        }
        Ok(translation)
    }

    fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        let args = &mut self.args;
        match name {
            "assertTimeout" => args.assert_timeout = Some(args::milliseconds(value)?),
            "assumeInjectivityOnInhale" => args.assume_injectivity_on_inhale = true,
            "disableAdtPlugin" => args.language.disable_plugin.push(Plugin::Adt),
            "disableTerminationPlugin" => args.language.disable_plugin.push(Plugin::Termination),
            "disableDefaultPlugins" => {
                args.language.disable_plugin.extend(PLUGINS.iter().filter_map(|(_, p)| *p));
            }
            "disableNL" => args.z3_options.push(("smt.arith.nl".into(), "false".into())),
            "enableMoreCompleteExhale" => args.exhale_mode = ExhaleMode::Complete,
            "enableSmokeDetection" => args.language.smoke = true,
            "excludeMethods" => self.selection.except_methods = Some(value.to_owned()),
            "exhaleMode" => {
                args.exhale_mode = match value {
                    "0" => ExhaleMode::Greedy,
                    "1" => ExhaleMode::Complete,
                    "2" => ExhaleMode::OnDemand,
                    _ => return Err("0, 1 or 2 is needed".into()),
                };
            }
            "includeMethods" => self.selection.methods = Some(value.to_owned()),
            "methods" if value != ":all" => self.selection.methods = Some(value.to_owned()),
            "moreJoins" => {
                args.join_mode = match value {
                    "0" | "off" => JoinMode::Off,
                    "1" | "impure" => JoinMode::Impure,
                    "2" | "all" => JoinMode::All,
                    _ => return Err("0, 1 or 2 is needed".into()),
                };
            }
            "no-timing" => self.timing = false,
            "numberOfErrorsToReport" => {
                args.max_errors = value.parse().map_err(|_| "this is not a number")?;
            }
            "numberOfParallelVerifiers" => args.jobs = Some(args::positive(value)?),
            "plugin" => args.language.smoke |= plugins(value)?,
            "prover" if !value.starts_with("Z3") => return Err("there is Z3 only".into()),
            "proverArgs" | "proverConfigArgs" | "z3Args" | "z3ConfigArgs" => {
                args.z3_options.extend(key_values(value)?);
            }
            "proverLogFile" | "z3LogFile" => args.dump_smt = Some(value.into()),
            "z3Exe" => self.z3 = Some(value.into()),
            _ => {}
        }
        Ok(())
    }
}

/// `"key=value key=value"`; older versions of Silicon want the quotation marks too.
fn key_values(text: &str) -> Result<Vec<(String, String)>, String> {
    text.trim_matches('"').split_whitespace().map(args::key_value).collect()
}

/// Names of classes with colons between. Is the one that looks for smoke among them?
fn plugins(text: &str) -> Result<bool, String> {
    let mut smoke = false;
    for class in text.split(':').filter(|class| !class.is_empty()) {
        match PLUGINS.iter().find(|(known, _)| *known == class) {
            Some((_, plugin)) => smoke |= plugin.is_none(),
            None => return Err(format!("{class} is not built in, and cannot be loaded")),
        }
    }
    Ok(smoke)
}

/// Joins `--counterexample mapped`, as Silicon has it, to one argument: ours takes a value only
/// after `=`, so that `--counterexample FILE` is what it seems to be.
pub(crate) fn join_counterexample<S: Into<std::ffi::OsString>>(
    arguments: impl IntoIterator<Item = S>,
) -> Vec<std::ffi::OsString> {
    let mut joined: Vec<std::ffi::OsString> = Vec::new();
    for argument in arguments {
        let argument = argument.into();
        match joined.last_mut() {
            Some(last)
                if last == "--counterexample"
                    && args::COUNTEREXAMPLES.iter().any(|kind| argument == *kind) =>
            {
                last.push("=");
                last.push(argument);
            }
            _ => joined.push(argument),
        }
    }
    joined
}

/// All that is known, for people.
pub(crate) fn table() -> String {
    let mut text = String::from(
        "Options of Silicon that `lancehead verify` understands, so that a front end can call it instead.\n\
         With --format silicon it also prints what Silicon prints.\n\n\
         The same in both: --timeout S, --counterexample native|variables|mapped (one kind here)\n",
    );
    let takes = |known: &Known| if known.takes_value { " ARG" } else { "" };
    let mut section = |title: &str, line: &dyn Fn(&Known) -> Option<&'static str>| {
        let _ = write!(text, "\n{title}\n");
        for known in KNOWN {
            if let Some(meaning) = line(known) {
                let name = format!("--{}{}", known.name, takes(known));
                let _ = writeln!(text, "{}", format!("  {name:40} {meaning}").trim_end());
            }
        }
    };
    section("Translated:", &|known| match known.meaning {
        Ours(meaning) => Some(meaning),
        _ => None,
    });
    section(
        "Refused, since they change what is proved or printed:",
        &|known| match known.meaning {
            Refused(why) => Some(why),
            _ => None,
        },
    );
    section("Accepted without effect:", &|known| match known.meaning {
        Ignored => Some(""),
        _ => None,
    });
    text
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    fn translate(arguments: &[&str]) -> Result<Translation, String> {
        let all = ["lancehead", "verify"].iter().chain(arguments).chain(&["a.vpr"]);
        let parsed = Args::try_parse_from(join_counterexample(all)).map_err(|e| e.to_string())?;
        match parsed.command {
            Command::Verify(verify) => Translation::of(&verify),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn the_table_is_sorted_and_has_no_duplicates() {
        assert!(KNOWN.is_sorted_by(|a, b| a.name.to_lowercase() < b.name.to_lowercase()));
    }

    #[test]
    fn translated() -> Result<(), String> {
        let t = translate(&[
            "--z3Exe",
            "/opt/z3",
            "--numberOfErrorsToReport=0",
            "--numberOfParallelVerifiers",
            "3",
            "--assertTimeout",
            "500",
            "--exhaleMode",
            "1",
            "--moreJoins",
            "2",
            "--disableTerminationPlugin",
            "--proverLogFile",
            "log",
            "--proverConfigArgs",
            "smt.arith.nl=false model.partial=true",
            "--includeMethods",
            "test*",
            "--counterexample",
            "mapped",
            "--enableSmokeDetection",
            "--assumeInjectivityOnInhale",
        ])?;
        assert_eq!(t.z3, Some("/opt/z3".into()));
        assert!(t.args.assume_injectivity_on_inhale);
        assert_eq!((t.args.max_errors, t.args.jobs), (0, Some(3)));
        assert_eq!(t.args.assert_timeout, Some(std::time::Duration::from_millis(500)));
        assert_eq!(t.args.exhale_mode, ExhaleMode::Complete);
        assert_eq!(t.args.join_mode, JoinMode::All);
        assert_eq!(t.args.language.disable_plugin, [Plugin::Termination]);
        assert_eq!(t.args.dump_smt, Some("log".into()));
        assert_eq!(t.args.z3_options.len(), 2);
        assert_eq!(t.selection.methods.as_deref(), Some("test*"));
        assert!(t.args.counterexample.is_some() && t.args.language.smoke && t.timing);
        Ok(())
    }

    #[test]
    fn ignored_and_refused() {
        let ignored =
            ["--logLevel", "OFF", "--tempDirectory", "tmp", "--stateConsolidationMode", "2"];
        assert!(translate(&ignored).is_ok());
        for (refused, hint) in [
            (&["--parseOnly"][..], "lancehead check"),
            (&["--exhaleMode", "7"], "0, 1 or 2"),
            (&["--moreJoins", "most"], "0, 1 or 2"),
            (&["--proverArgs", "-T:10"], "KEY=VALUE"),
            (&["--plugin", "my.own.Plugin"], "my.own.Plugin"),
            (&["--prover", "cvc5"], "Z3 only"),
        ] {
            let problem = translate(refused).err().unwrap_or_default();
            assert!(problem.contains(hint), "{refused:?}: {problem}");
        }
    }

    #[test]
    fn a_file_after_counterexample_is_a_file() -> Result<(), String> {
        let t = translate(&["--counterexample"])?;
        assert_eq!(t.args.files, [PathBuf::from("a.vpr")]);
        Ok(())
    }

    #[test]
    fn all_are_documented() {
        let text = table();
        assert!(KNOWN.iter().all(|known| text.contains(&format!("--{}", known.name))));
    }
}
